"""Why A and B are different, told and drawn."""

from dataclasses import replace

from lookalike.explanation.account.explanation import Array, Contribution
from lookalike.explanation.account.sentences import (
    NODES,
    NONE_AGAINST,
    against,
    at,
    how_names_hold,
    strongest,
)
from lookalike.explanation.graph.node_parts import listed
from lookalike.explanation.questions.difference import Difference
from lookalike.explanation.questions.story import Story
from lookalike.explanation.questions.tiles import map_tile, picture_tile
from lookalike.explanation.questions.wording import scored
from lookalike.rendering.numbers import score, share, tiny
from lookalike.rendering.overlays import limit_of
from lookalike.rendering.sheets import Row

ENDS = ("sets them apart", "makes up for it")
NOTHING = 1e-6
"""What is missing below this is rounding."""


def story(difference: Difference) -> Story:
    """Say how much is missing, and which group and which places it is missing in."""
    why = difference.why
    part = "level" if why.nodes else "group"
    return Story(
        question="Why are A and B different?",
        sentences=(*_verdict(difference), scored(why, "B"), *_against(difference)),
        # Shown as what it takes from a full score, so that blue means the same here as in a map.
        bars=_bars(difference),
        measured=f"What each {part} takes from a full score",
        ends=ENDS,
        notes=(*_notes(difference), *how_names_hold(why.groups)),
    )


def _bars(difference: Difference) -> tuple[Contribution, ...]:
    if difference.value < NOTHING:
        return ()
    return tuple(replace(group, value=-group.value) for group in difference.groups)


def _verdict(difference: Difference) -> tuple[str, ...]:
    value, groups = difference.value, difference.groups
    if value < NOTHING:
        return ("Nothing sets them apart.",)
    full = score(difference.perfect)
    short = f"their score is {score(value)} short of the {full} of a picture with itself"
    if len(groups) == 1:
        where = _places(difference, 0)
        return f"They differ most {where}.", f"In all, {short}."
    most = strongest(groups, sign=1)
    assert most is not None
    least = min(range(len(groups)), key=lambda group: groups[group].value)
    first, last = groups[most], groups[least]
    return (
        f"They differ most in {first.name}, {_places(difference, most)}: "
        f"{share(first.value, value)} of what is missing.",
        f"They differ least in {last.name}: {share(last.value, value)}.",
        f"In all, {short}.",
    )


def _places(difference: Difference, group: int) -> str:
    a, b = (at(maps[group], letter) for maps, letter in zip(difference.maps, "AB", strict=True))
    return f"{a} and {b}"


def _against(difference: Difference) -> tuple[str, ...]:
    """Say what spoke against the score itself, where a score can be spoken for and against."""
    if difference.value < NOTHING or difference.why.together:
        return ()
    told = against(difference.why, "AB")
    if told == NONE_AGAINST:
        return ("Nothing counts against their score; there is only too little that is alike.",)
    return (told,)


def rows(difference: Difference) -> tuple[Row, ...]:
    """Show both pictures, and over each what of it the other lacks."""
    a, b = difference.why.pictures
    over_a, over_b = (_drawn(maps) for maps in difference.maps)
    limit = limit_of(over_a, over_b)
    return (
        Row(
            "",
            (
                picture_tile(a, "A"),
                picture_tile(b, "B"),
                map_tile(a, over_a, limit=limit, words="blue: B lacks this of A"),
                map_tile(b, over_b, limit=limit, words="blue: A lacks this of B"),
            ),
        ),
    )


def _drawn(maps: Array) -> Array:
    """Add up the groups, with what is missing below zero: blue."""
    missing: Array = -maps.sum(axis=0)
    return missing


def _notes(difference: Difference) -> tuple[str, ...]:
    why = difference.why
    parts = "Levels and nodes" if why.nodes else "Groups"
    cells = "all cells of both maps together" if why.together else "all cells of either map"
    nodes = [replace(node, value=-node.value) for node in difference.nodes(NODES)]
    by_node = (f"Nodes that set them apart most: {listed(nodes)}.",) if nodes else ()
    return (
        f"{parts} add up to what is missing, {score(difference.value)}, and so do {cells}, "
        f"within {tiny(difference.gap)}. A cell's part is what it gives to its picture's score "
        "with itself, less what it gives to the score with the other; one scale for both maps. "
        "A cell's features come from more of the picture than the cell.",
        *by_node,
    )
