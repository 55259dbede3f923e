"""The nodes of a graph for a pair of pictures (METHODS 3.8)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lookalike.similarity import GraphSimilarity
from lookalike.types import Embedding, Tokens

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """The nodes of one level, for one pair of pictures.

    Args:
        name: The level, e.g. "level 3"; 1 is the lowest.
        difference: δ, the squared difference of the node's numbers in the two pictures.
        reliability: p, in [0, 1]; 1 in the lowest level.
        weight: w, how much of the node reaches the distance; 1 in the highest level.
        rectified: δ̂, the difference after the levels below are taken into account.
        responses: For either picture, nodes × height × width: where a node's number comes from.
            The map sums to the number.
        edges: ω̃, nodes × nodes of the level below; None in the lowest level.
    """

    name: str
    difference: Array
    reliability: Array
    weight: Array
    rectified: Array
    responses: tuple[Floats, Floats]
    edges: Floats | None

    def __len__(self) -> int:
        return len(self.difference)

    @property
    def sensitivity(self) -> Array:
        """λ = w p: how much the distance grows with the node's difference."""
        return self.weight * self.reliability

    @property
    def contribution(self) -> Array:
        """−λδ: what each node gives to the score; the score is the sum over nodes and levels."""
        return -self.sensitivity * self.difference

    def neighbours(self, node: int, count: int) -> list[tuple[int, float]]:
        """Return the nodes of the level below that feed a node most, with their ω̃.

        Nodes without a link to it are left out.
        """
        if self.edges is None:
            return []
        weights = self.edges[node]
        order = np.argsort(-weights, kind="stable")[:count]
        return [(int(below), float(weights[below])) for below in order if weights[below] > 0]


def trace_nodes(
    similarity: GraphSimilarity,
    embeddings: tuple[Embedding, Embedding],
    tokens: tuple[Tokens, Tokens],
    edges: Sequence[Floats],
) -> tuple[Nodes, ...]:
    """Return all nodes of one pair, levels from low to high.

    Args:
        similarity: What scores the pair.
        embeddings: Of either picture, one row each.
        tokens: Likewise.
        edges: ω̃ of the upper levels, from `edges_of`.
    """
    traced = similarity.trace(*embeddings)
    responses = [
        [
            level[0, :, :, 0].reshape(-1, *grid).float().numpy()
            for level, grid in zip(side.levels, side.grids, strict=True)
        ]
        for side in tokens
    ]
    return tuple(
        Nodes(
            name=f"level {number + 1}",
            difference=level.difference[0].numpy(),
            reliability=level.reliability[0].numpy(),
            weight=level.weight[0].numpy(),
            rectified=level.rectified[0].numpy(),
            responses=(responses[0][number], responses[1][number]),
            edges=edges[number - 1] if number else None,
        )
        for number, level in enumerate(traced)
    )


def edges_of(similarity: GraphSimilarity) -> tuple[Floats, ...]:
    """Return a copy of ω̃, level by level: later training must not change an account."""
    return tuple(level.cpu().numpy().copy() for level in similarity.links.kept)
