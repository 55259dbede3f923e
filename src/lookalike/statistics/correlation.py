"""Correlation of two maps, row by row: Pearson's r, and Spearman's with ties."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Float64
from torch import Tensor

from lookalike.statistics.bootstrap import Interval, bootstrap_interval


@dataclass(frozen=True, slots=True, eq=False)
class Correlations:
    """A correlation for each pair.

    Args:
        values: In [−1, 1]; NaN where one of the two maps is the same everywhere.
        clusters: Each pair's query picture.
    """

    values: Float64[np.ndarray, " n"]
    clusters: Sequence[int]

    @property
    def undefined(self) -> int:
        """Pairs without a correlation; they are left out of the interval."""
        return int(np.isnan(self.values).sum())

    @property
    def interval(self) -> Interval | None:
        """The mean and its bootstrap interval; None where no pair has a correlation."""
        known = np.flatnonzero(~np.isnan(self.values))
        if len(known) == 0:
            return None
        codes = np.asarray(self.clusters)[known].tolist()
        return bootstrap_interval(self.values[known], clusters=codes)

    def as_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        interval = self.interval
        return {
            "correlation": None if interval is None else interval.as_dict(),
            "undefined": self.undefined,
            "pairs": len(self.values),
        }


def pearson(
    x: Float[Tensor, "n h w"],
    y: Float[Tensor, "n h w"],
    inside: Bool[Tensor, "n h w"] | None = None,
) -> Float64[np.ndarray, " n"]:
    """Return Pearson's r of two maps over their cells, NaN where one of them is constant.

    Args:
        x: Maps.
        y: Maps to compare them with.
        inside: The cells that count; None is all.

    >>> x = torch.tensor([[[1.0, 2.0, 3.0]], [[1.0, 1.0, 1.0]]])
    >>> pearson(x, -2 * x).round(6)
    array([-1., nan])
    """
    weight = torch.ones_like(x) if inside is None else inside
    weight = weight.double().flatten(1)
    left, right = (_centred(maps.double().flatten(1), weight) for maps in (x, y))
    lengths = [torch.linalg.vector_norm(side, dim=1) for side in (left, right)]
    scales = [maps.double().flatten(1).abs().amax(dim=1) for maps in (x, y)]
    # Rounding errors of a constant map are no pattern.
    flat = [length <= 1e-9 * scale for length, scale in zip(lengths, scales, strict=True)]
    r = (left * right).sum(dim=1) / (lengths[0] * lengths[1])
    values: Float64[np.ndarray, " n"] = r.masked_fill(flat[0] | flat[1], torch.nan).numpy()
    return values


def _centred(values: Tensor, weight: Tensor) -> Tensor:
    mean = (values * weight).sum(dim=1, keepdim=True) / weight.sum(dim=1, keepdim=True)
    return (values - mean) * weight


def spearman(x: Float[Tensor, "n h w"], y: Float[Tensor, "n h w"]) -> Float64[np.ndarray, " n"]:
    """Return Spearman's rank correlation of two maps over their cells.

    Equal values share the mean of their ranks; NaN where a map is constant.
    """
    return pearson(_ranks(x), _ranks(y))


def _ranks(maps: Float[Tensor, "n h w"]) -> Float[Tensor, "n h w"]:
    from scipy.stats import rankdata

    return torch.from_numpy(rankdata(maps.flatten(1).numpy(), axis=1)).view(maps.shape)
