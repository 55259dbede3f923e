"""A graph from the top down: what feeds a node, level by level."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lookalike.explanation.account.nodes import Nodes, choose, least_reliable

Levels = tuple[Nodes, ...]

ENDS = 2
"""Most similar and most dissimilar nodes at the top, of either so many."""
BREADTH = 4
"""Lower neighbours that an opened node shows."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One row of a tree: nodes of a level.

    Args:
        level: Which, counted from 0, the lowest.
        nodes: In the order shown.
        weights: ω̃ of the edge to each from the node opened above; empty in the top row.
        opened: Which of them the next row opens; None in the last row.
    """

    level: int
    nodes: tuple[int, ...]
    weights: tuple[float, ...] = ()
    opened: int | None = None


def grow(pairs: Sequence[Levels], *, ends: int = ENDS, breadth: int = BREADTH) -> list[Branch]:
    """Return a tree from the highest level to the lowest (the paper's figure 7).

    It begins with the most similar and the most dissimilar nodes, as `choose` picks them. In each
    row the least reliable node is opened: the next row has the nodes that feed it most.

    Args:
        pairs: All levels, for one pair or two.
        ends: Of either kind at the top.
        breadth: Nodes of each further row.
    """
    alike, apart = choose([levels[-1] for levels in pairs], ends)
    nodes, weights = [*alike, *apart], list[float]()
    rows: list[Branch] = []
    for level in range(len(pairs[0]) - 1, -1, -1):
        opened = least_reliable([levels[level] for levels in pairs], nodes)
        rows.append(Branch(level, tuple(nodes), tuple(weights), opened))
        if opened is None:
            break
        found = pairs[0][level].neighbours(opened, breadth)
        nodes, weights = [node for node, _ in found], [weight for _, weight in found]
    return rows


def reach(levels: Levels, start: Iterable[int], *, breadth: int) -> list[list[int]]:
    """Return which nodes of each level are met from some of the highest, in ascending order.

    Args:
        levels: Of one pair; edges do not depend on the pair.
        start: Nodes of the highest level.
        breadth: How many of a node's lower neighbours are followed.
    """
    met = [set(start)]
    for nodes in reversed(levels[1:]):
        met.append({below for node in met[-1] for below, _ in nodes.neighbours(node, breadth)})
    return [sorted(level) for level in reversed(met)]
