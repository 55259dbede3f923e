"""Which nodes of a graph gave most to a number, and what they are called."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lookalike.rendering.numbers import signed


@dataclass(frozen=True, slots=True)
class NodePart:
    """What one node of a graph gave to a score, to a margin, or to what is missing.

    Args:
        level: E.g. "level 3".
        node: Its number in the level.
        value: In score units.
        name: What somebody calls it; None without a name.
    """

    level: str
    node: int
    value: float
    name: str | None = None

    @property
    def label(self) -> str:
        """Return what it is shown as.

        >>> NodePart("level 3", 7, 0.1).label, NodePart("level 3", 7, 0.1, "snout").label
        ('level 3, node 7', 'snout (level 3, node 7)')
        """
        plain = f"{self.level}, node {self.node}"
        return plain if self.name is None else f"{self.name} ({plain})"


def strongest_nodes(
    levels: Sequence[tuple[str, npt.NDArray[np.float64]]],
    *,
    count: int,
    names: Sequence[str | None] = (),
) -> list[NodePart]:
    """Return the nodes that gave most, for or against, the strongest first.

    Args:
        levels: Each level's name and what its nodes gave, from low to high.
        count: How many.
        names: Of the nodes of the highest level; may be empty.
    """
    found = []
    for place, (level, values) in enumerate(levels, start=1):
        called = names if place == len(levels) and names else (None,) * len(values)
        found += [
            NodePart(level, node, float(values[node]), called[node])
            for node in np.argsort(-np.abs(values), kind="stable")[:count].tolist()
        ]
    return sorted(found, key=lambda part: -abs(part.value))[:count]


def listed(nodes: Sequence[NodePart]) -> str:
    """Write nodes with what they gave.

    >>> listed([NodePart("level 3", 7, 0.1, "snout"), NodePart("level 1", 0, -0.05)])
    'snout (level 3, node 7), +0.100; level 1, node 0, −0.050'
    """
    return "; ".join(f"{node.label}, {signed(node.value)}" for node in nodes)
