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
        spread = _spread(over, tokens.grids[level], finest)
        levels.append(spread.view(*over.shape[:2], *finest))
    return torch.cat(levels, dim=1)


def shared(
    sensitivity: Sensitivity, a: Tokens, b: Tokens
) -> tuple[Float[Tensor, "n ha wa"], Float[Tensor, "n hb wb"]]:
    """Return, over either picture, what it shares with the other: 2λẽẽ' of −λ(ẽ² + ẽ'² − 2ẽẽ').

    Either map sums to Σ 2λẽẽ'. The other two terms of the distance take one picture each and say
    how much there is in it, wherever that is.
    """
    return _shared_over(sensitivity, a, b), _shared_over(sensitivity, b, a)


def _shared_over(sensitivity: Sensitivity, tokens: Tokens, other: Tokens) -> Float[Tensor, "n h w"]:
    finest = _finest(tokens)
    total = torch.zeros(())
    for level, weight in enumerate(sensitivity):
        theirs = 2 * weight * other.levels[level].squeeze(3).sum(2)
        over = torch.einsum("nrp,nr->np", tokens.levels[level].squeeze(3), theirs)
        total = total + _spread(over[:, None], tokens.grids[level], finest)
    return total.view(-1, *finest)


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
        over_b = _spread(score, b.grids[level], finest[1])
        total = total + _spread(over_b.mT, a.grids[level], finest[0]).mT
    return total


def _finest(tokens: Tokens) -> tuple[int, int]:
    """Return the grid that all levels of a picture are shown on."""
    return max(h for h, _ in tokens.grids), max(w for _, w in tokens.grids)


def _spread(
    values: Float[Tensor, "n r p"], coarse: tuple[int, int], fine: tuple[int, int]
) -> Float[Tensor, "n r q"]:
    """Share out each cell of a grid to those of a finer one; sums stay what they are."""
    if coarse == fine:  # most of the work, were it done by the identity
        return values
    sharing = torch.kron(overlaps(coarse[0], fine[0]), overlaps(coarse[1], fine[1]))
    return values @ sharing.to(values)


def overlaps(coarse: int, fine: int) -> Float[Tensor, "coarse fine"]:
    """Return which share of each of `coarse` equal pieces of a line lies in each of `fine`.

    >>> overlaps(2, 3).mul(3).round().tolist()
    [[2.0, 1.0, 0.0], [0.0, 1.0, 2.0]]
    """
    ends = torch.arange(coarse + 1, dtype=torch.float64) / coarse
    cuts = torch.arange(fine + 1, dtype=torch.float64) / fine
    upper = torch.minimum(ends[1:, None], cuts[None, 1:])
    lower = torch.maximum(ends[:-1, None], cuts[None, :-1])
    return (upper - lower).clamp(min=0) * coarse
