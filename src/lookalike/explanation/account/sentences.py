"""What raises a score most and what lowers it most, in plain words."""

import numpy as np
import torch

from lookalike.explanation.account.explanation import Array, Contribution, Explanation
from lookalike.explanation.account.strongest_nodes import listed, strongest_nodes
from lookalike.explanation.saliency import to_grid
from lookalike.rendering.forms import sentences_of
from lookalike.rendering.numbers import signed

NINTHS = (
    ("the upper left", "the top", "the upper right"),
    ("the left", "the centre", "the right"),
    ("the lower left", "the bottom", "the lower right"),
)
"""What the ninths of a picture are called."""
PLAIN = 2 / 9
"""A place is named only if the strongest ninth of a map has at least this share of it."""
NODES = 3
"""Nodes of a graph that a sentence lists."""
NONE_AGAINST = "Nothing speaks against it."
SLIGHT = 0.01
"""What has the other sign is not mentioned below this share of a number."""


def place(values: Array) -> str | None:
    """Name the ninth of the picture that holds most of a map's positive part.

    Args:
        values: Height × width, in score units; values below zero do not count.

    Returns:
        None if no ninth has twice its even share: then the map has no single place.

    >>> place(np.array([[0.0, 3.0], [1.0, -5.0]])), place(np.ones((6, 6)))
    ('the upper right', None)
    """
    ninths = to_grid(torch.from_numpy(np.clip(values, 0, None))[None], (3, 3))[0].numpy()
    most, total = ninths.max(), ninths.sum()
    if total == 0 or most < PLAIN * total:
        return None
    # A map of few cells has several equal ninths: choose the one nearest to the centre.
    alike = np.argwhere(ninths >= most * (1 - 1e-6))
    row, column = min(alike.tolist(), key=lambda ninth: abs(ninth[0] - 1) + abs(ninth[1] - 1))
    return NINTHS[row][column]


def at(values: Array, letter: str) -> str:
    """Say where on a picture the positive part of a map is.

    >>> at(np.eye(3) * [1.0, 0.0, 0.0], "A"), at(np.ones((3, 3)), "B")
    ('at the upper left of A', 'all over B')
    """
    named = place(values)
    return f"all over {letter}" if named is None else f"at {named} of {letter}"


def strongest(groups: tuple[Contribution, ...], *, sign: int) -> int | None:
    """Return the group with the largest contribution of a sign; None if no group has that sign."""
    values = [sign * group.value for group in groups]
    largest = max(range(len(values)), key=values.__getitem__)
    return largest if values[largest] > 0 else None


@sentences_of.register(Explanation)
def sentences(why: Explanation, *, letters: str = "AB") -> tuple[str, ...]:
    """Say what raises a score most, what lowers it most, and how often names of groups are right.

    If the score is a sum of differences, as that of a graph is, they say what sets the two pictures
    apart most and least.

    Args:
        why: The explanation.
        letters: What its two pictures are called.
    """
    told = _apart(why, letters) if why.together else (_for(why, letters), against(why, letters))
    return (*told, *how_names_hold(why.groups))


def how_names_hold(groups: tuple[Contribution, ...]) -> tuple[str, ...]:
    """Say in how many pictures groups look at what they are named after, if that was counted.

    >>> how_names_hold((Contribution("ear (group 0)", 0.5, 0.75), Contribution("group 1", 0.25)))
    ('Counted on known parts, ear (group 0) is right in 75 % of pictures.',)
    """
    known = [
        f"{group.name} is right in {100 * group.name_holds:.0f} %"
        for group in groups
        if group.name_holds is not None
    ]
    return (f"Counted on known parts, {', '.join(known)} of pictures.",) if known else ()


def _for(why: Explanation, letters: str) -> str:
    most = strongest(why.groups, sign=1)
    if most is None:
        return "Nothing speaks for it."
    return f"Carried most {_by(why, most)}{_on_both(why, most, letters, sign=1)}."


def against(why: Explanation, letters: str) -> str:
    """Name the group that lowers a score, or the places that do if no group does."""
    least = strongest(why.groups, sign=-1)
    if least is not None:
        where = _on_both(why, least, letters, sign=-1)
        return f"Against it most: {_by(why, least, word='')}{where}."
    over_a = why.maps[0].sum(axis=0)
    below = float(np.clip(over_a, None, 0).sum())
    if -below < SLIGHT * float(np.clip(over_a, 0, None).sum()):
        return NONE_AGAINST
    where = f"single cells, most {at(-over_a, letters[0])} ({signed(below)} together)"
    return f"Against it: {'no group as a whole, only ' if len(why.groups) > 1 else ''}{where}."


def _apart(why: Explanation, letters: str) -> tuple[str, ...]:
    values = [group.value for group in why.groups]
    most, least = values.index(min(values)), values.index(max(values))
    if values[most] == 0:
        return ("Nothing sets them apart.",)
    told = f"Set apart most {_by(why, most)}{_on_both(why, most, letters, sign=-1)}."
    levels = [(level.name, level.contribution) for level in why.nodes]
    nodes = strongest_nodes(levels, count=NODES, names=why.node_names)
    by_node = (f"Nodes that set them apart most: {listed(nodes)}.",) if nodes else ()
    if len(values) == 1:
        return (told, *by_node)
    return told, f"Set apart least {_by(why, least).removesuffix(', ')}.", *by_node


def _by(why: Explanation, group: int, *, word: str = "by ") -> str:
    """Name a group with its share of the score, or with its value if groups have both signs."""
    if len(why.groups) == 1:
        return ""
    part = why.groups[group]
    total = sum(each.value for each in why.groups)
    one_sign = all(each.value * total >= 0 for each in why.groups)
    share = f"{100 * part.value / total:.0f} % of it" if one_sign else signed(part.value)
    return f"{word}{part.name}, {share}, "


def _on_both(why: Explanation, group: int, letters: str, *, sign: int) -> str:
    a, b = (at(sign * maps[group], letter) for maps, letter in zip(why.maps, letters, strict=True))
    return f"{a} and {b}"
