"""Where in two pictures a graph's distance comes from, in score units (METHODS 3.8)."""

import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.types import PairMaps, Tokens

Sensitivity = tuple[Float[Tensor, "n r"], ...]


def maps(sensitivity: Sensitivity, a: Tokens, b: Tokens) -> PairMaps:
    """Split each node's contribution over the positions of both pictures together."""
    return PairMaps(_over(sensitivity, a, b), _over(sensitivity, b, a), together=True)


def _over(sensitivity: Sensitivity, tokens: Tokens, other: Tokens) -> Float[Tensor, "n parts h w"]:
    """Return −λ (ẽ − ẽ') t over one picture's finest positions; the same for the other's sign."""
    finest = _finest(tokens)
    levels = []
    for level, weight in enumerate(sensitivity):
        mine = tokens.levels[level].squeeze(3)
        difference = mine.sum(2) - other.levels[level].squeeze(3).sum(2)
        over = mine * -(weight * difference)[:, :, None]
        spread = over @ _spreading(tokens.grids[level], finest).to(over)
        levels.append(spread.view(*over.shape[:2], *finest))
    return torch.cat(levels, dim=1)


def regions(sensitivity: Sensitivity, a: Tokens, b: Tokens) -> Float[Tensor, "n pa pb"]:
    """Split each pair's score over pairs of positions."""
    finest = (_finest(a), _finest(b))
    total = torch.zeros(())
    for level, weight in enumerate(sensitivity):
        x, y = a.levels[level].squeeze(3), b.levels[level].squeeze(3)
        weighed_x, weighed_y = x * weight[:, :, None], y * weight[:, :, None]
        product = torch.einsum("nrp,nrq->npq", weighed_x, y)
        alone_x = torch.einsum("nrp,nr->np", weighed_x, x.sum(2)) / y.shape[2]
        alone_y = torch.einsum("nrq,nr->nq", weighed_y, y.sum(2)) / x.shape[2]
        score = 2 * product - alone_x[:, :, None] - alone_y[:, None]
        left = _spreading(a.grids[level], finest[0]).to(score)
        right = _spreading(b.grids[level], finest[1]).to(score)
        total = total + left.T @ score @ right
    return total


def _finest(tokens: Tokens) -> tuple[int, int]:
    """Return the grid that all levels of a picture are shown on."""
    return max(h for h, _ in tokens.grids), max(w for _, w in tokens.grids)


def _spreading(coarse: tuple[int, int], fine: tuple[int, int]) -> Float[Tensor, "p q"]:
    """Return how each cell of a grid is shared out to those of a finer one; rows sum to one."""
    return torch.kron(_overlaps(coarse[0], fine[0]), _overlaps(coarse[1], fine[1]))


def _overlaps(coarse: int, fine: int) -> Float[Tensor, "coarse fine"]:
    """Return which share of each of `coarse` equal pieces of a line lies in each of `fine`.

    >>> _overlaps(2, 3).mul(3).round().tolist()
    [[2.0, 1.0, 0.0], [0.0, 1.0, 2.0]]
    """
    ends = torch.arange(coarse + 1, dtype=torch.float64) / coarse
    cuts = torch.arange(fine + 1, dtype=torch.float64) / fine
    upper = torch.minimum(ends[1:, None], cuts[None, 1:])
    lower = torch.maximum(ends[:-1, None], cuts[None, :-1])
    return (upper - lower).clamp(min=0) * coarse
