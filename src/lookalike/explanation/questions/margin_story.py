"""Why B is above C, told and drawn."""

from lookalike.explanation.account.sentences import NODES, SLIGHT, at, how_names_hold, strongest
from lookalike.explanation.graph.node_parts import listed
from lookalike.explanation.questions.margin import Margin
from lookalike.explanation.questions.story import Story
from lookalike.explanation.questions.tiles import map_tile, picture_tile
from lookalike.explanation.questions.wording import scored
from lookalike.rendering.numbers import score, signed, tiny
from lookalike.rendering.overlays import limit_of
from lookalike.rendering.sheets import Row

ENDS = ("speaks for C", "speaks for B")


def story(margin: Margin) -> Story:
    """Say which is above, by how much, and what put it there."""
    return Story(
        question="Why is B above C for A?",
        sentences=(
            _verdict(margin),
            *reasons(margin),
            scored(margin.first, "B"),
            scored(margin.second, "C"),
        ),
        bars=margin.groups,
        measured="What each level gives" if margin.first.nodes else "What each group gives",
        ends=ENDS,
        notes=notes(margin),
    )


def _verdict(margin: Margin) -> str:
    if margin.value > 0:
        return f"B is above C by {score(margin.value)}."
    if margin.value < 0:
        return f"It is not: C is above B, by {score(-margin.value)}."
    return "It is not: both score the same."


def reasons(margin: Margin) -> tuple[str, ...]:
    """Say what spoke for the one that is above most, and what for the other."""
    sign, winner, loser = (1, "B", "C") if margin.value >= 0 else (-1, "C", "B")
    return _most(margin, sign, winner), _most(margin, -sign, loser)


def _most(margin: Margin, sign: int, letter: str) -> str:
    """Name the group that gave most to one side, or only the place where no group did."""
    alone = len(margin.groups) == 1
    graph = bool(margin.first.nodes)
    group = None if alone else strongest(margin.groups, sign=sign)
    if group is not None:
        part = margin.groups[group]
        return (
            f"For {letter} most: {part.name}, {signed(part.value)}, "
            f"{at(sign * margin.over_a[group], 'A')}."
        )
    over_a = sign * margin.over_a.sum(axis=0)
    speaks = float(over_a.clip(min=0).sum())
    if speaks <= SLIGHT * abs(margin.value):
        return f"Nothing speaks for {letter}."
    part_of = "" if alone else f"no {'level' if graph else 'group'} as a whole, only "
    return (
        f"For {letter}: {part_of}single cells, most {at(over_a, 'A')} "
        f"({signed(sign * speaks)} together)."
    )


def rows(margin: Margin) -> tuple[Row, ...]:
    """Show A, B and C, and each with its map; one meaning of the colours in all three."""
    (a, b), (_, c) = margin.first.pictures, margin.second.pictures
    over_a, over_b, over_c = (
        maps.sum(axis=0) for maps in (margin.over_a, margin.over_b, margin.over_c)
    )
    both = limit_of(over_b, over_c)
    return (
        Row(
            "Pictures",
            (
                picture_tile(a, "A, the query"),
                picture_tile(b, f"B: {score(margin.first.score)}"),
                picture_tile(c, f"C: {score(margin.second.score)}"),
            ),
        ),
        Row(
            "Where",
            (
                map_tile(a, over_a, limit=limit_of(over_a), words="red: like B, blue: like C"),
                map_tile(b, over_b, limit=both, words="red: like A, blue: unlike A"),
                map_tile(c, over_c, limit=both, words="blue: like A, red: unlike A"),
            ),
        ),
    )


def notes(margin: Margin) -> tuple[str, ...]:
    """Say how it adds up, and what a map cannot tell."""
    sums = "the maps over A, B and C together" if margin.first.together else "the map over A"
    parts = "Levels and nodes" if margin.first.nodes else "Groups"
    told = [
        f"{parts} add up to the margin, {signed(margin.value)}, and so do all cells of {sums}, "
        f"within {tiny(margin.gap)}. Strongest colour: the strongest cell, of A in its map, "
        "of B and C in theirs. A cell's features come from more of the picture than the cell."
    ]
    if margin.first.nodes:
        told.append(
            f"Nodes that give most: {listed(margin.nodes(NODES))}. "
            "Level 1 sees details, the last one whole shapes."
        )
    return (*told, *how_names_hold(margin.first.groups))
