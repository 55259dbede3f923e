"""The most reliable nodes of each level, by similarity (the paper's figure 6)."""

from collections.abc import Iterator

import numpy as np

from lookalike.explanation.graph.graph_report import GraphReport
from lookalike.explanation.graph.node_choice import (
    MOST_RELIABLE,
    most_reliable,
    similar_and_dissimilar,
)
from lookalike.explanation.graph.node_words import (
    LETTERS,
    RESPONSE,
    how_to_read,
    kinds,
    legend,
    node_numbers,
    thumbnails,
)
from lookalike.rendering.labels import broken
from lookalike.rendering.sheets import Sheet, SheetColumn, SheetRow, Tile

SHOWN = 4
"""Nodes of either kind in a level."""
SIDE = 210
"""Of a picture, pixels."""


def node_sheet(report: GraphReport) -> Sheet:
    """Show the most similar and the most dissimilar nodes of each level, the highest first."""
    levels = reversed(range(len(report.levels)))
    return Sheet(
        title="The most reliable nodes of each level",
        note=legend(report),
        rows=tuple(row for level in levels for row in _level(report, level)),
        scale=RESPONSE,
        notes=(
            f"{how_to_read(report)} δ is the squared difference of the numbers, p the node's "
            "reliability.",
        ),
    )


def _level(report: GraphReport, level: int) -> Iterator[SheetRow]:
    """Show a level: a column for each node, a row for each picture."""
    pairs = report.levels[level]
    alike, apart = similar_and_dissimilar(pairs, SHOWN, among=MOST_RELIABLE)
    places = [*alike, *(None,) * (SHOWN - len(alike)), *apart]
    numbers = [() if n is None else (f"node {n}", node_numbers(pairs, n)) for n in places]
    drawn = [None if n is None else thumbnails(report, level, n, side=SIDE) for n in places]
    last = len(report.pictures) - 1
    for side, shown in enumerate(report.pictures):
        yield SheetRow(
            LETTERS[side],
            tuple(
                None if maps is None else Tile(maps[side], *(words if side == last else ()))
                for maps, words in zip(drawn, numbers, strict=True)
            ),
            notes=(broken(shown.label),),
            heading=_heading(report, level) if side == 0 else "",
            columns=_columns(report, len(places)) if side == 0 else (),
        )


def _columns(report: GraphReport, count: int) -> tuple[SheetColumn, ...]:
    alike, apart = kinds(report)
    return tuple(SheetColumn(alike if place < SHOWN else apart) for place in range(count))


def _heading(report: GraphReport, level: int) -> str:
    pairs = report.levels[level]
    total = len(pairs[0])
    among = most_reliable(pairs, MOST_RELIABLE)
    if level == 0:
        return f"Level 1, the lowest: all {total} nodes, reliable by definition"
    p = np.concatenate([nodes.reliability[sorted(among)] for nodes in pairs])
    which = f"the {len(among)} most reliable of {total}" if len(among) < total else f"all {total}"
    return f"Level {level + 1}: {which} nodes, p from {p.min():.3f} to {p.max():.3f}"
