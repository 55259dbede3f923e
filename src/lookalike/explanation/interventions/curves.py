"""The curve of a score while cells are hidden or shown, and the area under it."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from jaxtyping import Float64, Int64

from lookalike.errors import LookalikeError
from lookalike.statistics.bootstrap import (
    Array,
    Interval,
    bootstrap_interval,
    bootstrap_statistic,
)

Kind = Literal["deletion", "insertion"]
KINDS: tuple[Kind, ...] = ("deletion", "insertion")


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """Scores of n pairs while a picture is hidden (deletion) or shown (insertion), step by step.

    The area is measured so that a random order has 0.5. With `f_i(k)` a pair's score at step k in
    the order of the map, `r_i(k)` in random order (mean of several), and `whole_i` and `blank_i`
    its scores with nothing and with everything hidden,

        F(k) = Σ_i (f_i(k) − blank_i) / Σ_i (whole_i − blank_i),   R(k) likewise of r_i,
        area = Σ_k (F(k) + F(k+1)) / 2 · |R(k+1) − R(k)|, signed as R as a whole goes.

    It is the area under F drawn against R instead of against the share of cells, as a ROC curve is
    drawn against chance: a step counts by how much a random order changes there. For F = R the sum
    is (1² − 0²) / 2 = 0.5 whatever the shape of R. It is linear in F and in R, so random orders
    that are independent of R's have 0.5 in expectation, for any pairs and any number of orders. 0
    means that the score is that of the blank picture from the first step to the last but one, 1
    that it is that of the whole one; with coarser steps the best order is farther from 0 and 1.
    The area can leave [0, 1] where masking raises a score above the whole picture's.

    Pairs are added up before anything is divided. So a pair whose score does not fall counts
    little, and nothing is divided by zero. The area is the same for any rising linear function of
    the score, so cosines and negative distances are measured in the same way.

    Args:
        kind: "deletion": a low area is better, the score should fall at once. "insertion": a high
            area is better, the score should rise at once.
        shares: Of the picture, hidden or shown at each step, from 0 to 1.
        scores: In the order of the map, the score's own units.
        random: In random order, on the same pairs.
        clusters: The query picture of each pair.
    """

    kind: Kind
    shares: Float64[np.ndarray, " k"]
    scores: Float64[np.ndarray, "n k"]
    random: Float64[np.ndarray, "n k"]
    clusters: Int64[np.ndarray, " n"]

    @property
    def whole(self) -> Float64[np.ndarray, " n"]:
        """Scores with nothing hidden."""
        return self.scores[:, 0 if self.kind == "deletion" else -1]

    @property
    def blank(self) -> Float64[np.ndarray, " n"]:
        """Scores with everything hidden."""
        return self.scores[:, -1 if self.kind == "deletion" else 0]

    @property
    def drop(self) -> float:
        """How much the score falls when everything is hidden, mean over pairs, score units."""
        return float((self.whole - self.blank).mean())

    @property
    def area(self) -> Interval:
        """The normalised area, 0.5 for a random order, with its interval over query pictures.

        Raises:
            LookalikeError: Hiding the picture does not lower the score.
        """
        self._require_drop()
        return bootstrap_statistic(self._areas, self.clusters, pairs=len(self.scores))

    @property
    def raw_area(self) -> Interval:
        """The area under the score against the share, score units (Petsiuk et al. 2018)."""
        areas = _middles(self.scores) @ np.diff(self.shares)
        return bootstrap_interval(areas, clusters=self.clusters.tolist())

    @property
    def by_pair(self) -> Float64[np.ndarray, " n"]:
        """Each pair's share in the area: their mean is the area.

        0.5 + Σ_k (f_i − r_i) at the steps' middles · |ΔR|, divided by the mean drop: 0.5 where the
        map's order is no better on this pair than a random one.
        """
        gained = (
            _middles(self.scores - self.random) @ self._steps(np.ones((1, len(self.scores))))[0]
        )
        pairs: Array = 0.5 + gained / self.drop
        return pairs

    def curve(self, *, of: Literal["map", "random"] = "map") -> Float64[np.ndarray, " k"]:
        """Return F, or R: the mean curve, 1 for the whole pictures and 0 for the blank ones."""
        self._require_drop()
        scores = self.scores if of == "map" else self.random
        curve: Array = self._normalised(scores, np.ones((1, len(scores))))[0]
        return curve

    def as_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        return {
            "area": self.area.as_dict(),
            "raw_area": self.raw_area.as_dict(),
            "drop": self.drop,
            "pairs": len(self.scores),
            "shares": self.shares.tolist(),
            "curve": self.curve().tolist(),
            "random_curve": self.curve(of="random").tolist(),
        }

    def _require_drop(self) -> None:
        if self.drop <= 0:
            raise LookalikeError(
                f"hiding the whole picture changes the score by {-self.drop:+.4f} on average: "
                "without a fall there is no area to measure; try the other fill, or pairs that "
                "are alike"
            )

    def _normalised(self, scores: Array, weights: Array) -> Array:
        normalised: Array = (weights @ (scores - self.blank[:, None])) / (
            weights @ (self.whole - self.blank)
        )[:, None]
        return normalised

    def _steps(self, weights: Array) -> Array:
        """Return how much random orders change the score at each step; the sum is one."""
        change = np.diff(self._normalised(self.random, weights), axis=1)
        return -change if self.kind == "deletion" else change

    def _areas(self, weights: Array) -> Array:
        curves = self._normalised(self.scores, weights)
        areas: Array = (_middles(curves) * self._steps(weights)).sum(axis=1)
        return areas


def _middles(curves: Array) -> Array:
    """Return the mean of each two neighbours: the height of a curve over each step."""
    middles: Array = (curves[:, :-1] + curves[:, 1:]) / 2
    return middles
