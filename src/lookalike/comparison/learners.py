"""How much the learners of an ensemble, or the groups of a head, differ on the same picture."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

BINS = 40
"""Of the histogram of cosines, all of one width, from −1 to 1."""
AT_ONCE = 2**22
"""Cosines held at once."""


@dataclass(frozen=True, slots=True)
class SelfPairs:
    """The cosines of two learners on one picture, over all pictures and pairs of learners.

    Args:
        mean: Of all cosines.
        deviation: Their standard deviation.
        counts: How many lie in each bin of the histogram.
    """

    mean: float
    deviation: float
    counts: tuple[int, ...]


def self_pairs(vectors: Float[Tensor, "n g d"]) -> SelfPairs:
    """Measure how alike two learners see the same picture (Kim et al. 2018; METHODS 2).

    Args:
        vectors: Of L2 norm 1, at least two for each picture.

    >>> apart = self_pairs(torch.tensor([[[1.0, 0.0], [0.0, 1.0]]]))
    >>> apart.mean, apart.deviation, apart.counts.index(1)
    (0.0, 0.0, 20)
    """
    n, groups, _ = vectors.shape
    p, q = torch.triu_indices(groups, groups, offset=1)
    counts = torch.zeros(BINS, dtype=torch.int64)
    total, squares = 0.0, 0.0
    at_once = max(1, AT_ONCE // groups**2)
    for start in range(0, n, at_once):
        piece = vectors[start : start + at_once]
        cosines = (piece @ piece.transpose(1, 2))[:, p, q].double().clamp(-1, 1)
        total += float(cosines.sum())
        squares += float(cosines.square().sum())
        bins = ((cosines + 1) * (BINS / 2)).long().clamp(max=BINS - 1)
        counts += torch.bincount(bins.flatten(), minlength=BINS)
    pairs = n * len(p)
    mean = total / pairs
    return SelfPairs(
        mean, math.sqrt(max(0.0, squares / pairs - mean**2)), tuple(map(int, counts.tolist()))
    )
