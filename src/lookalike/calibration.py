"""What a score means for one model: its place among the scores of same and different pairs.

The value that a model carries; `lookalike.evaluation.calibrate` measures it on held-out pairs.
"""

from bisect import bisect_left
from collections.abc import Sequence
from math import isfinite, log10
from typing import Annotated

from pydantic import Field, model_validator

from lookalike.config import Config
from lookalike.errors import UsageError

Count = Annotated[int, Field(ge=1)]
Scores = Annotated[tuple[float, ...], Field(min_length=2)]


class Calibration(Config):
    """Quantiles of the scores of pairs of one class and of pairs of different classes.

    >>> c = Calibration(
    ...     same=(0.5, 0.75, 1.0), different=(0.0, 0.25, 0.5), same_pairs=30, different_pairs=1000,
    ...     rates=(0.1, 0.01), thresholds=(0.4, 0.49), measured_on="birds, 20 held-out classes")
    >>> c.percentile_same(0.625), c.percentile_different(0.625), c.threshold(0.01)
    (25.0, 100.0, 0.49)
    """

    same: Scores
    """Quantiles of the scores of two pictures of one class, evenly spaced, lowest first."""
    different: Scores
    """Quantiles of the scores of two pictures of different classes, likewise."""
    same_pairs: Count
    """How many pairs `same` is from."""
    different_pairs: Count
    """How many pairs `different` and `thresholds` are from."""
    rates: tuple[Annotated[float, Field(gt=0, lt=1)], ...]
    """False-match rates, highest first: shares of different pairs that reach a threshold."""
    thresholds: tuple[float, ...]
    """The threshold of each rate."""
    measured_on: str = ""
    """Which pictures the pairs are from, in words."""

    @model_validator(mode="after")
    def _ordered(self) -> "Calibration":
        if len(self.rates) != len(self.thresholds):
            raise ValueError(f"{len(self.rates)} rates need as many thresholds")
        for name in ("same", "different", "thresholds"):
            values: tuple[float, ...] = getattr(self, name)
            if list(values) != sorted(values) or not all(map(isfinite, values)):
                raise ValueError(f"{name} must be finite and ascending")
        if list(self.rates) != sorted(self.rates, reverse=True):
            raise ValueError("rates must be descending, as thresholds ascend")
        return self

    def percentile_same(self, score: float) -> float:
        """Return the share of same-class pairs that score lower, in percent, 0 to 100."""
        return _percent_below(self.same, score)

    def percentile_different(self, score: float) -> float:
        """Return the share of different-class pairs that score lower, in percent, 0 to 100."""
        return _percent_below(self.different, score)

    def threshold(self, false_match_rate: float) -> float:
        """Return the score that this share of different-class pairs reaches or exceeds.

        Between measured rates it is linear in the logarithm of the rate.

        Args:
            false_match_rate: Between the lowest and the highest of `rates`.

        Raises:
            UsageError: There are too few pairs to tell for this rate.
        """
        if not self.rates or not self.rates[-1] <= false_match_rate <= self.rates[0]:
            span = f"{self.rates[-1]:g} to {self.rates[0]:g}" if self.rates else "no rate at all"
            raise UsageError(
                f"no threshold for a false-match rate of {false_match_rate:g}: "
                f"{self.different_pairs} different-class pairs support {span}; "
                "calibrate on more pictures for lower rates"
            )
        if false_match_rate in self.rates:
            return self.thresholds[self.rates.index(false_match_rate)]
        i = bisect_left([-rate for rate in self.rates], -false_match_rate)
        high, low = log10(self.rates[i - 1]), log10(self.rates[i])
        share = (high - log10(false_match_rate)) / (high - low)
        return self.thresholds[i - 1] + share * (self.thresholds[i] - self.thresholds[i - 1])

    def describe(self, score: float) -> str:
        """Say in one sentence what a score means."""
        where = f" of {self.measured_on}" if self.measured_on else ""
        return (
            f"{score:.3f}: {self.percentile_same(score):.1f} % of same-class pairs and "
            f"{self.percentile_different(score):.1f} % of different-class pairs score lower "
            f"({self.same_pairs:,} and {self.different_pairs:,} pairs{where})."
        )


def _percent_below(quantiles: Sequence[float], score: float) -> float:
    """Interpolate between quantiles; pairs with equal scores do not count as below."""
    i = bisect_left(quantiles, score)
    if i == 0:
        return 0.0
    if i == len(quantiles):
        return 100.0
    below, above = quantiles[i - 1], quantiles[i]
    return 100 * (i - 1 + (score - below) / (above - below)) / (len(quantiles) - 1)
