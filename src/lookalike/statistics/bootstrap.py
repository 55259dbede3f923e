"""Bootstrap intervals (Efron 1979) of means and other statistics, drawn by clusters."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt
from jaxtyping import Float64

from lookalike.errors import UsageError

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate and its interval.

    Args:
        low: The interval's lower end.
        mean: The estimate itself, from all values.
        high: The interval's upper end.
    """

    low: float
    mean: float
    high: float

    def as_dict(self) -> dict[str, float]:
        """Return plain numbers."""
        return asdict(self)

    def overlaps(self, other: "Interval") -> bool:
        """Say whether the two intervals have a point in common."""
        return self.low <= other.high and other.low <= self.high


def bootstrap_interval(
    values: npt.ArrayLike,
    *,
    clusters: Sequence[int] | None = None,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> Interval:
    """Return the mean of values and its percentile interval.

    Args:
        values: One for each pair, at least one, all finite.
        clusters: The cluster of each value. Values of one cluster are not independent, e.g. pairs
            with the same query picture: whole clusters are drawn. None: every value is its own.
        level: Share of draws that lie in the interval, in (0, 1).
        draws: How often the clusters are drawn with replacement.
        seed: Of the draws.

    Raises:
        UsageError: There are no values, one is not finite, or `clusters` has another length.

    >>> bootstrap_interval([2.0, 2.0, 2.0])
    Interval(low=2.0, mean=2.0, high=2.0)
    """
    numbers = np.asarray(values, np.float64).reshape(-1)
    if len(numbers) == 0 or not np.isfinite(numbers).all():
        raise UsageError(f"an interval needs finite values, at least one: got {len(numbers)}")
    return bootstrap_statistic(
        lambda weights: weights @ numbers / weights.sum(axis=1),
        np.arange(len(numbers)) if clusters is None else clusters,
        pairs=len(numbers),
        level=level,
        draws=draws,
        seed=seed,
    )


def bootstrap_statistic(
    statistic: Callable[[Array], Array],
    clusters: npt.ArrayLike,
    *,
    pairs: int,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> Interval:
    """Return any statistic of weighted pairs, for instance a ratio of means, and its interval.

    Args:
        statistic: Takes draws × pairs, how often each pair is in each draw, and returns a number
            for each draw.
        clusters: The cluster of each pair.
        pairs: How many there are.
        level: As in `bootstrap_interval`.
        draws: Likewise.
        seed: Likewise.

    Raises:
        UsageError: `clusters` has another length, or the level is not in (0, 1).
    """
    codes = np.asarray(clusters)
    if codes.shape != (pairs,):
        raise UsageError(f"{pairs} pairs need a cluster each, got {codes.shape}")
    if not 0 < level < 1:
        raise UsageError(f"level = {level}: it lies between 0 and 1")
    estimate = float(statistic(np.ones((1, pairs)))[0])
    drawn = statistic(_resample(codes, draws, seed))
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return Interval(low, estimate, high)


def _resample(codes: npt.NDArray[np.int64], draws: int, seed: int) -> Float64[np.ndarray, "d n"]:
    """Draw as many clusters as there are, with replacement; return each pair's multiplicity."""
    distinct, member = np.unique(codes, return_inverse=True)
    count = len(distinct)
    random = np.random.default_rng(seed)
    multiplicity = random.multinomial(count, np.full(count, 1 / count), size=draws)
    return multiplicity[:, member].astype(np.float64)
