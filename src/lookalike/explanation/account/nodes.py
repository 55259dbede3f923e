"""The nodes of a graph for a pair of pictures (METHODS 3.8)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lookalike.accounts import PairAccount
from lookalike.types import Tokens

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
            A map sums to its number.
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


def nodes_of(account: PairAccount, tokens: tuple[Tokens, Tokens]) -> tuple[Nodes, ...]:
    """Return all nodes of one pair, levels from low to high; empty without a graph.

    Args:
        account: Of one pair.
        tokens: Of either picture, one row each.
    """
    responses = [
        [
            level[0, :, :, 0].reshape(-1, *grid).float().numpy()
            for level, grid in zip(side.levels, side.grids, strict=True)
        ]
        for side in tokens
    ]
    return tuple(
        Nodes(
            name=name,
            difference=level.difference[0].numpy(),
            reliability=level.reliability[0].numpy(),
            weight=level.weight[0].numpy(),
            rectified=level.rectified[0].numpy(),
            responses=(responses[0][number], responses[1][number]),
            edges=None if level.links is None else level.links.float().cpu().numpy(),
        )
        for number, (name, level) in enumerate(zip(account.groups, account.nodes, strict=False))
    )
