"""From lists of neighbours to what each query scored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float32, Float64, Int64


@dataclass(frozen=True, slots=True, eq=False)
class PerQuery:
    """What each query scored, in the order of the queries.

    Args:
        positives: R_q, how many images there are to find.
        first_hit: Rank of the first positive, from 1; 0 if it is not among those searched.
        hits_at: Positives among the first k, by k.
        tied_at: Ranks k and k + 1 score the same, by k.
        average_precision: (1/R_q) Σ_{i≤R_q} P(i) rel_i, 0 without positives.
        average_precision_dgml: The same with R_q + 1 for R_q.
        r_precision: (1/R_q) Σ_{i≤R_q} rel_i, 0 without positives.
        unlucky_first: The first rank is a positive however ties are broken.
        lucky_first: Some way to break ties makes the first rank a positive.
    """

    positives: Int64[np.ndarray, " n"]
    first_hit: Int64[np.ndarray, " n"]
    hits_at: Mapping[int, Int64[np.ndarray, " n"]]
    tied_at: Mapping[int, Bool[np.ndarray, " n"]]
    average_precision: Float64[np.ndarray, " n"]
    average_precision_dgml: Float64[np.ndarray, " n"]
    r_precision: Float64[np.ndarray, " n"]
    unlucky_first: Bool[np.ndarray, " n"]
    lucky_first: Bool[np.ndarray, " n"]

    def __len__(self) -> int:
        return len(self.positives)

    @staticmethod
    def cat(pieces: Sequence["PerQuery"]) -> "PerQuery":
        """Join what consecutive queries scored."""

        def joined(name: str) -> np.ndarray:
            return np.concatenate([getattr(piece, name) for piece in pieces])

        return PerQuery(
            positives=joined("positives"),
            first_hit=joined("first_hit"),
            hits_at={k: np.concatenate([p.hits_at[k] for p in pieces]) for k in pieces[0].hits_at},
            tied_at={k: np.concatenate([p.tied_at[k] for p in pieces]) for k in pieces[0].tied_at},
            average_precision=joined("average_precision"),
            average_precision_dgml=joined("average_precision_dgml"),
            r_precision=joined("r_precision"),
            unlucky_first=joined("unlucky_first"),
            lucky_first=joined("lucky_first"),
        )


def score_lists(
    relevant: Bool[np.ndarray, "n depth"],
    scores: Float32[np.ndarray, "n depth"],
    tied: Bool[np.ndarray, " n"],
    positives: Int64[np.ndarray, " n"],
    ks: Sequence[int],
) -> PerQuery:
    """Score lists of neighbours, best first.

    Args:
        relevant: A place holds a positive; places without a candidate hold none.
        scores: Of the places, -inf without a candidate.
        tied: The best candidate that is not listed scores as the last one that is.
        positives: R_q; lists must hold R_q + 1 places, or all candidates.
        ks: Ranks to count hits at; lists must hold as many, or all candidates.
    """
    depth = relevant.shape[1]
    hits = np.cumsum(relevant, axis=1)
    gains = np.cumsum(relevant * hits / np.arange(1, depth + 1), axis=1)
    same_as_next = np.concatenate([scores[:, 1:] == scores[:, :-1], tied[:, None]], axis=1)
    found = relevant.any(axis=1)
    at_most = np.minimum(ks, depth)
    unlucky, lucky = _first_rank_bounds(relevant, scores, tied, positives)
    return PerQuery(
        positives=positives,
        first_hit=np.where(found, relevant.argmax(axis=1) + 1, 0),
        hits_at={k: hits[:, last - 1] for k, last in zip(ks, at_most, strict=True)},
        tied_at={k: same_as_next[:, last - 1] for k, last in zip(ks, at_most, strict=True)},
        average_precision=_at(gains, positives) / np.maximum(positives, 1),
        average_precision_dgml=_at(gains, positives + 1) / (positives + 1),
        r_precision=_at(hits, positives) / np.maximum(positives, 1),
        unlucky_first=unlucky,
        lucky_first=lucky,
    )


def _at(sums: np.ndarray, ranks: Int64[np.ndarray, " n"]) -> np.ndarray:
    """Take each row's running sum at its rank, within the list; rank 0 has no hits to sum."""
    last = np.clip(ranks, 1, sums.shape[1]) - 1
    return np.take_along_axis(sums, last[:, None], axis=1)[:, 0]


def _first_rank_bounds(
    relevant: Bool[np.ndarray, "n depth"],
    scores: Float32[np.ndarray, "n depth"],
    tied: Bool[np.ndarray, " n"],
    positives: Int64[np.ndarray, " n"],
) -> tuple[Bool[np.ndarray, " n"], Bool[np.ndarray, " n"]]:
    """Say whether rank 1 is a hit if ties break for the worse, and for the better.

    If a tie goes on below the list, a positive may be in it: the better bound then counts one.
    The worse bound is exact, as a list holds more than the positives.
    """
    best = scores == scores[:, :1]
    goes_on = best.all(axis=1) & tied
    unlucky = relevant[:, 0] & ~(best & ~relevant).any(axis=1)
    lucky = (best & relevant).any(axis=1) | (goes_on & (positives > 0))
    return unlucky, lucky
