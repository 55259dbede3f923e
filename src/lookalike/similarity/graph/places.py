"""Where in two pictures a graph's distance comes from, in score units (METHODS 3.8)."""

import math

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.accounts import PairMaps
from lookalike.types import Tokens

OfNodes = tuple[Float[Tensor, "n r"], ...]
"""A number for each node, level by level from low to high."""


def maps(sensitivity: OfNodes, a: Tokens, b: Tokens) -> PairMaps:
    """Split each node's contribution over the positions of both pictures together."""
    slopes = _slopes(sensitivity, a, b)

    def over(tokens: Tokens) -> Float[Tensor, "n parts h w"]:
        finest = _finest(tokens)
        levels = [
            _spread(level.squeeze(3) * slope[:, :, None], grid, finest)
            for level, slope, grid in zip(tokens.levels, slopes, tokens.grids, strict=True)
        ]
        joined = torch.cat(levels, dim=1)
        return joined.view(*joined.shape[:2], *finest)

    return PairMaps(over(a), -over(b), together=True)


def maps_of_levels(sensitivity: OfNodes, a: Tokens, b: Tokens) -> PairMaps:
    """Split the contribution of each level, the sum over its nodes, as `maps` splits a node's."""
    slopes = _slopes(sensitivity, a, b)
    return PairMaps(_by_level(slopes, a), -_by_level(slopes, b), together=True)


def _slopes(sensitivity: OfNodes, a: Tokens, b: Tokens) -> OfNodes:
    """Return −λ (ẽ − ẽ'): the factor of the first picture's tokens, and minus the second's."""
    return tuple(
        -weight * (first - second)
        for weight, first, second in zip(sensitivity, _sums(a), _sums(b), strict=True)
    )


def shared(sensitivity: OfNodes, a: Tokens, b: Tokens) -> PairMaps:
    """Return, for each level, what each picture shares with the other.

    That is the product 2λẽẽ' of `−λ(ẽ² + ẽ'² − 2ẽẽ')`, over the positions of either picture. The
    other two terms of the distance are of one picture each, wherever that has something.
    """

    def over(tokens: Tokens, other: Tokens) -> Float[Tensor, "n levels h w"]:
        theirs = tuple(2 * w * sums for w, sums in zip(sensitivity, _sums(other), strict=True))
        return _by_level(theirs, tokens)

    return PairMaps(over(a, b), over(b, a))


def regions(sensitivity: OfNodes, a: Tokens, b: Tokens) -> Float[Tensor, "n pa pb"]:
    """Split each pair's score over pairs of positions.

    The squares, each of one picture, are even over the positions of the other picture, whatever the
    grid: they are added once for all levels.
    """
    fine_a, fine_b = _finest(a), _finest(b)
    alone_a = _alone(sensitivity, a) / math.prod(fine_b)
    alone_b = _alone(sensitivity, b) / math.prod(fine_a)
    total = -alone_a[:, :, None] - alone_b[:, None]
    for level, weight in enumerate(sensitivity):
        weighed = a.levels[level].squeeze(3) * (2 * weight)[:, :, None]
        products = weighed.mT @ b.levels[level].squeeze(3)
        over_a = _spread(products.mT, a.grids[level], fine_a)
        total += _spread(over_a.mT, b.grids[level], fine_b)
    return total


def _alone(sensitivity: OfNodes, tokens: Tokens) -> Float[Tensor, "n p"]:
    """Return λẽt of all nodes over one picture's finest positions; it sums to Σ λẽ²."""
    own = tuple(w * sums for w, sums in zip(sensitivity, _sums(tokens), strict=True))
    return _by_level(own, tokens).sum(1).flatten(1)


def _sums(tokens: Tokens) -> OfNodes:
    return tuple(level.sum(2).squeeze(2) for level in tokens.levels)


def _by_level(factors: OfNodes, tokens: Tokens) -> Float[Tensor, "n levels h w"]:
    """Return each level's tokens, times their nodes' factors and added up, at the finest positions.

    Nodes are added up before they are spread: one map is spread, not one for each of them.
    """
    finest = _finest(tokens)
    levels = [
        _spread(factor[:, None] @ level.squeeze(3), grid, finest)
        for factor, level, grid in zip(factors, tokens.levels, tokens.grids, strict=True)
    ]
    return torch.cat(levels, dim=1).view(len(tokens), len(factors), *finest)


def _finest(tokens: Tokens) -> tuple[int, int]:
    """Return the grid on which all levels of a picture are shown."""
    return max(h for h, _ in tokens.grids), max(w for _, w in tokens.grids)


def _spread(
    values: Float[Tensor, "n r p"], coarse: tuple[int, int], fine: tuple[int, int]
) -> Float[Tensor, "n r q"]:
    """Spread each cell of a grid over those of a finer one; sums stay the same."""
    if coarse == fine:  # the common case: skip a product with the identity
        return values
    cells = values.reshape(*values.shape[:2], *coarse)
    for pieces, finer in zip(coarse, fine, strict=True):  # replace one axis; the new one is last
        cells = torch.tensordot(cells, overlaps(pieces, finer).to(cells), dims=([2], [0]))
    return cells.flatten(2)


def overlaps(coarse: int, fine: int) -> Float[Tensor, "coarse fine"]:
    """Return which share of each of `coarse` equal pieces of a line lies in each of `fine`.

    >>> overlaps(2, 3).mul(3).round().tolist()
    [[2.0, 1.0, 0.0], [0.0, 1.0, 2.0]]
    """
    ends = np.arange(coarse + 1) / coarse
    cuts = np.arange(fine + 1) / fine
    upper = np.minimum(ends[1:, None], cuts[1:])
    lower = np.maximum(ends[:-1, None], cuts[:-1])
    return torch.from_numpy((upper - lower).clip(min=0) * coarse)
