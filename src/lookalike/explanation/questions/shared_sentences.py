"""Words that several answers share, and sums over the groups that they name."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from lookalike.explanation.account.explanation import Array, Contribution, Explanation
from lookalike.explanation.account.sentences import NODES, at, strongest
from lookalike.explanation.account.strongest_nodes import NodePart, listed, strongest_nodes
from lookalike.rendering.numbers import score, signed

CELL_NOTE = "A cell's features come from more of the picture than the cell."
"""Said in the notes of every answer that shows a map."""


def scored(why: Explanation, other: str) -> str:
    """Say what a picture scores with A, and what that means where it is known."""
    return f"A and {other}: similarity {score_and_meaning(why)}."


def score_and_meaning(why: Explanation) -> str:
    """Write a score with what it means among held-out pairs, where that is known."""
    meaning = "" if why.meaning is None else f", {why.meaning}"
    return f"{score(why.score)}{at_most(why)}{meaning}"


def at_most(why: Explanation) -> str:
    """Say that the highest score is 0, for a score that is the negative of a distance."""
    return " (0 is the most)" if why.together else ""


def group_word(why: Explanation) -> str:
    """Return the word for what a score is split into: "group", or "level" in a graph."""
    return "level" if why.nodes else "group"


def group_and_place(groups: Sequence[Contribution], maps: Array, *, sign: int) -> str | None:
    """Name the group that gave most of one sign, with its value and its place on A.

    Args:
        groups: What each group gave.
        maps: Groups × height × width over A.
        sign: 1 or −1.

    Returns:
        None where there is only one group, or none gave anything of that sign.
    """
    most = strongest(tuple(groups), sign=sign)
    if len(groups) == 1 or most is None:
        return None
    return f"{group_and_value(groups[most])}, {at(sign * maps[most], 'A')}"


def group_and_value(group: Contribution) -> str:
    """Write a group's name and what it gave."""
    return f"{group.name}, {signed(group.value)}"


def with_values(
    groups: Sequence[Contribution], values: Iterable[float]
) -> tuple[Contribution, ...]:
    """Return the same groups with other values."""
    pairs = zip(groups, values, strict=True)
    return tuple(replace(group, value=value) for group, value in pairs)


def mean_of_groups(lists: Sequence[Sequence[Contribution]]) -> tuple[Contribution, ...]:
    """Return the mean of what each group gave, over several lists of the same groups."""
    values = np.mean([[group.value for group in groups] for groups in lists], axis=0)
    return with_values(lists[0], values.tolist())


def strongest_nodes_of(why: Explanation, by_node: Sequence[Array], count: int) -> list[NodePart]:
    """Return the nodes of a graph with the largest values, the largest first.

    Args:
        why: Says what levels and nodes are called.
        by_node: For each level the values of its nodes; empty without a graph.
        count: How many nodes.
    """
    levels = zip((level.name for level in why.nodes), by_node, strict=True)
    return strongest_nodes(list(levels), count=count, names=why.node_names)


def node_note(verb: str, nodes: Sequence[NodePart]) -> tuple[str, ...]:
    """List a few nodes in one sentence; no sentence without nodes."""
    return (f"Nodes that {verb} most: {listed(nodes[:NODES])}.",) if nodes else ()
