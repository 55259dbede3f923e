"""Which nodes of a graph to look at: by similarity, by reliability, and by what feeds a node."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lookalike.explanation.account.nodes import Nodes

MOST_RELIABLE = 128
"""Nodes of a level that are ranked by similarity, as in the paper's figure 6."""
Levels = tuple[Nodes, ...]

ENDS = 2
"""Most similar and most dissimilar nodes at the top, of either so many."""
BREADTH = 4
"""Lower neighbours that an opened node shows."""


def similar_and_dissimilar(
    pairs: Sequence[Nodes], count: int, *, among: int | None = None
) -> tuple[list[int], list[int]]:
    """Return the most similar nodes of a level, and the most dissimilar ones, those first.

    With two pairs these are the most similar of the first pair and the most dissimilar of the
    second: what A and B have in common, and what sets C apart. No node is in both lists.

    Args:
        pairs: One level, for one pair or two.
        count: Nodes in either list; fewer where the level has not as many.
        among: Only so many of the most reliable nodes, by the mean over the pairs, and any as
            reliable as the last of them; None is all.
    """
    candidates = most_reliable(pairs, among)
    rising = [i for i in np.argsort(pairs[0].difference, kind="stable").tolist() if i in candidates]
    alike = rising[: min(count, -(-len(rising) // 2))]
    falling = np.argsort(-pairs[-1].difference, kind="stable").tolist()
    apart = [i for i in falling if i in candidates and i not in alike]
    return alike, apart[:count]


def most_reliable(pairs: Sequence[Nodes], count: int | None = None) -> set[int]:
    """Return the most reliable nodes of a level: so many, and any as reliable as the last."""
    p = np.mean([nodes.reliability for nodes in pairs], axis=0)
    least = -np.inf if count is None or count >= len(p) else np.sort(p)[-count]
    return set(np.flatnonzero(p >= least).tolist())


def least_reliable(pairs: Sequence[Nodes], among: Iterable[int]) -> int | None:
    """Return the least reliable of some nodes that have links below, the first of equal ones."""
    p = np.mean([nodes.reliability for nodes in pairs], axis=0)
    linked = [node for node in among if pairs[0].neighbours(node, 1)]
    return min(linked, key=lambda node: p[node], default=None)


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

    It begins with the most similar and the most dissimilar nodes, from `similar_and_dissimilar`.
    In each row the least reliable node is opened: the next row has the nodes that feed it most.

    Args:
        pairs: All levels, for one pair or two.
        ends: Of either kind at the top.
        breadth: Nodes of each further row.
    """
    alike, apart = similar_and_dissimilar([levels[-1] for levels in pairs], ends)
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
    """Return the nodes of each level that can be reached from some of the highest, sorted.

    Args:
        levels: Of one pair; edges do not depend on the pair.
        start: Nodes of the highest level.
        breadth: How many of a node's lower neighbours are followed.
    """
    met = [set(start)]
    for nodes in reversed(levels[1:]):
        met.append({below for node in met[-1] for below, _ in nodes.neighbours(node, breadth)})
    return [sorted(level) for level in reversed(met)]
