"""What a search found for a run of queries, in the form that metrics are computed from."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float32, Float64, Int64


@dataclass(frozen=True, slots=True, eq=False)
class RankedLists:
    """The nearest candidates of several queries, best first. R is a query's number of positives.

    Args:
        relevant: Whether the candidate at each place is a positive. False where there is none.
        scores: The candidates' scores, -inf where there is none.
        tied: Whether the best candidate that is not listed has the score of the last listed one.
        positives: R of each query. Lists hold at least R + 1 places, or all candidates.
        candidates: How many candidates a query has, at most.
        hits: How many positives are among the first places, up to and including each.
        gains: The sum of the precision at each positive, up to and including each place.
    """

    relevant: Bool[np.ndarray, "n depth"]
    scores: Float32[np.ndarray, "n depth"]
    tied: Bool[np.ndarray, " n"]
    positives: Int64[np.ndarray, " n"]
    candidates: int
    hits: Int64[np.ndarray, "n depth"]
    gains: Float64[np.ndarray, "n depth"]

    @staticmethod
    def of(
        relevant: Bool[np.ndarray, "n depth"],
        scores: Float32[np.ndarray, "n depth"],
        tied: Bool[np.ndarray, " n"],
        positives: Int64[np.ndarray, " n"],
        candidates: int,
    ) -> "RankedLists":
        """Compute the running sums; the arguments are the fields of the class."""
        hits = np.cumsum(relevant, axis=1)
        ranks = np.arange(1, relevant.shape[1] + 1)
        gains = np.cumsum(relevant * hits / ranks, axis=1)
        return RankedLists(relevant, scores, tied, positives, candidates, hits, gains)

    def __len__(self) -> int:
        return len(self.positives)

    def hits_at(self, k: int) -> Int64[np.ndarray, " n"]:
        """Count each query's positives among the first k."""
        counts: Int64[np.ndarray, " n"] = self.hits[:, min(k, self.hits.shape[1]) - 1]
        return counts

    def tied_at(self, k: int) -> Bool[np.ndarray, " n"]:
        """Say whether ranks k and k + 1 have the same score."""
        if k >= self.scores.shape[1]:
            return self.tied
        tied: Bool[np.ndarray, " n"] = self.scores[:, k] == self.scores[:, k - 1]
        return tied

    def first_hit(self) -> Int64[np.ndarray, " n"]:
        """Return the rank of the first positive, from 1; 0 if it is not in the list."""
        return np.where(self.relevant.any(axis=1), self.relevant.argmax(axis=1) + 1, 0)

    def average_precision(self, ranks: Int64[np.ndarray, " n"]) -> Float64[np.ndarray, " n"]:
        """Return (1/r) Σ_{i≤r} P(i) rel_i for a rank r of each query; 0 for r = 0."""
        mean: Float64[np.ndarray, " n"] = _at(self.gains, ranks) / np.maximum(ranks, 1)
        return mean

    def precision(self, ranks: Int64[np.ndarray, " n"]) -> Float64[np.ndarray, " n"]:
        """Return (1/r) Σ_{i≤r} rel_i for a rank r of each query; 0 for r = 0."""
        mean: Float64[np.ndarray, " n"] = _at(self.hits, ranks) / np.maximum(ranks, 1)
        return mean

    def first_is_hit_at_worst(self) -> Bool[np.ndarray, " n"]:
        """Say whether rank 1 is a hit however ties are broken.

        This is exact: a list has more places than there are positives.
        """
        best = self.scores == self.scores[:, :1]
        certain: Bool[np.ndarray, " n"] = self.relevant[:, 0] & ~(best & ~self.relevant).any(axis=1)
        return certain

    def first_is_hit_at_best(self) -> Bool[np.ndarray, " n"]:
        """Say whether rank 1 is a hit if ties are broken in the model's favour.

        If the tie continues below the list, it may contain a positive and counts as a hit.
        """
        best = self.scores == self.scores[:, :1]
        goes_on = best.all(axis=1) & self.tied
        in_list = (best & self.relevant).any(axis=1)
        possible: Bool[np.ndarray, " n"] = in_list | (goes_on & (self.positives > 0))
        return possible


def _at(sums: np.ndarray, ranks: Int64[np.ndarray, " n"]) -> np.ndarray:
    """Take each row's running sum at its rank, within the list; a row of rank 0 has none."""
    last = np.clip(ranks, 1, sums.shape[1]) - 1
    return np.take_along_axis(sums, last[:, None], axis=1)[:, 0]
