"""The distance of a graph, and all that it is made of (METHODS 3.5, 3.8, 3.9).

From the bottom up, `δ̂_i^l = p_i δ_i^l + (1 − p_i) Σ_j ω̃_ij δ̂_j^(l−1)`, with p = 1 in the lowest
level, and `d̂ = Σ_i δ̂_i^L`. The same sum from the top down is `d̂ = Σ_l Σ_i w_i^l p_i^l δ_i^l`, with
`w^L = 1` and `w_j^(l−1) = Σ_i w_i^l (1 − p_i^l) ω̃_ij`: the weight of a node's difference, and so
its contribution.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.accounts import NodeLevel

MULTIPLE = 64
"""Rows of a product are padded to this: for odd sizes BLAS uses other kernels, which round
differently."""


@dataclass(frozen=True, slots=True)
class Wiring:
    """What a graph has learnt; "upper" levels are all but the lowest, from low to high.

    Args:
        scale: κα, by which the product of two certainties enters the reliability.
        shift: κβ.
        edges: ω̃, to the nodes of the level below.
    """

    scale: Float[Tensor, "upper r"]
    shift: Float[Tensor, "upper r"]
    edges: Float[Tensor, "upper r r"]

    def reliability(
        self, level: int, a: Float[Tensor, "*#p r"], b: Float[Tensor, "*#p r"]
    ) -> Float[Tensor, "*p r"]:
        """Return p of an upper level, from the certainties of either side."""
        return torch.sigmoid(self.scale[level] * (a * b) + self.shift[level])


@dataclass(frozen=True, slots=True)
class GraphSide:
    """One side of a comparison; the sides of a pair broadcast against each other.

    Args:
        vectors: The nodes, level by level from low to high.
        certainty: Those of the upper levels; those of the lowest level are not needed.
    """

    vectors: tuple[Float[Tensor, "*p r"], ...]
    certainty: tuple[Float[Tensor, "*p r"], ...]

    def __len__(self) -> int:
        return len(self.vectors[0])

    def rows(self, rows: slice) -> "GraphSide":
        """Return some of the pictures."""
        return self._map(lambda level: level[rows])

    def along(self, dim: int) -> "GraphSide":
        """Return views with a new dimension, to broadcast over the other side's pictures."""
        return self._map(lambda level: level.unsqueeze(dim))

    def detach(self) -> "GraphSide":
        """Return the same numbers without their history."""
        return self._map(Tensor.detach)

    def _map(self, function: Callable[[Tensor], Tensor]) -> "GraphSide":
        return GraphSide(tuple(map(function, self.vectors)), tuple(map(function, self.certainty)))


def trace(wiring: Wiring, a: GraphSide, b: GraphSide) -> tuple[NodeLevel, ...]:
    """Return all nodes of each pair, levels from low to high."""
    differences = [(x - y).square() for x, y in zip(a.vectors, b.vectors, strict=True)]
    reliabilities = [torch.ones_like(differences[0])]
    rectified = [differences[0]]
    for level, edges in enumerate(wiring.edges):
        p = wiring.reliability(level, a.certainty[level], b.certainty[level])
        reliabilities.append(p)
        rectified.append(p * differences[level + 1] + (1 - p) * (rectified[-1] @ edges.T))
    weights = [torch.ones_like(differences[-1])]
    upper = zip(reliabilities[1:], wiring.edges, strict=True)
    for p, edges in reversed(list(upper)):
        weights.append((weights[-1] * (1 - p)) @ edges)
    weights.reverse()
    return tuple(map(NodeLevel, differences, reliabilities, weights, rectified))


def ascend(wiring: Wiring, a: GraphSide, b: GraphSide) -> Float[Tensor, "*p"]:
    """Return d̂ from the bottom up, with the history of `scale` and `shift`."""
    rectified = (a.vectors[0] - b.vectors[0]).square()
    for level, edges in enumerate(wiring.edges):
        p = wiring.reliability(level, a.certainty[level], b.certainty[level])
        below = rectified @ edges.T
        difference = (a.vectors[level + 1] - b.vectors[level + 1]).square()
        rectified = torch.lerp(below, difference, p)
    return rectified.sum(-1)


class Descent:
    """Evaluates d̂ from the top down for blocks of pairs, in buffers that are used again.

    A pair needs a few vectors of r numbers and, for each upper level, one product with the edges.
    Equal pairs get equal distances, in either order of the two pictures and in blocks of any size:
    operations whose rounding depends on the place in a tensor (products, sigmoids, sums) are done
    on whole padded blocks.

    Args:
        wiring: The graph.
        pairs: The most pairs in a block.
    """

    def __init__(self, wiring: Wiring, pairs: int) -> None:
        self.wiring = wiring
        padded = -(-pairs // MULTIPLE) * MULTIPLE
        self._buffers = wiring.edges.new_zeros(4, padded, wiring.scale.shape[1])

    def __call__(self, a: GraphSide, b: GraphSide) -> Float[Tensor, "*p"]:
        """Return the distance of each pair of two sides that broadcast."""
        shape = np.broadcast_shapes(a.vectors[0].shape, b.vectors[0].shape)
        count = math.prod(shape[:-1])
        passed, weight, p, squares = self._buffers[:, : -(-count // MULTIPLE) * MULTIPLE]
        product, difference = p[:count].view(shape), squares[:count].view(shape)
        reaching = weight.new_ones(1)
        total: Tensor = weight.new_zeros(len(weight))
        for level in range(len(self.wiring.edges), 0, -1):
            upper = level - 1
            torch.mul(a.certainty[upper], b.certainty[upper], out=product)
            p.mul_(self.wiring.scale[upper]).add_(self.wiring.shift[upper])
            p.sigmoid_().mul_(reaching)
            torch.sub(reaching, p, out=passed)
            torch.sub(a.vectors[level], b.vectors[level], out=difference)
            total += squares.mul_(squares).mul_(p).sum(1)
            torch.mm(passed, self.wiring.edges[upper], out=weight)
            reaching = weight
        torch.sub(a.vectors[0], b.vectors[0], out=difference)
        total += squares.mul_(squares).mul_(reaching).sum(1)
        return total[:count].view(shape[:-1])
