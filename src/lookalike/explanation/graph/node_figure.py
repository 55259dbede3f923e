"""The most reliable nodes of each level, by similarity (the paper's figure 6)."""

from typing import TYPE_CHECKING

import numpy as np

from lookalike.explanation.account.nodes import MOST_RELIABLE, choose, reliable
from lookalike.explanation.graph.cards import (
    LETTERS,
    differences,
    headline,
    kinds,
    legend,
    reliabilities,
    response,
    thumbnails,
)
from lookalike.explanation.graph.report import GraphReport
from lookalike.rendering.figures import INK
from lookalike.rendering.overlays import ramp
from lookalike.rendering.sheet_figure import SMALL, TITLE, Page, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 4
"""Nodes of either kind in a level."""
# Inches.
MARGIN, SPACE, BETWEEN = 0.25, 0.1, 0.35
TILE, NAMES = 1.05, 0.25
HEADING, CAPTION, LINE_HEIGHT, LAST = 0.62, 0.5, 0.15, 0.2
HEAD, FOOT = 0.95, 0.85
DRAWN = 210
"""Side of a drawn thumbnail, pixels."""


def draw(report: GraphReport) -> "Figure":
    """Draw a block for each level, the highest first; it belongs to no window."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    pictures = len(report.pictures)
    block = HEADING + pictures * (TILE + SPACE) + CAPTION + LAST
    width = _x(2 * SHOWN) + MARGIN
    height = HEAD + block * len(report.levels) + FOOT
    figure = Figure(figsize=(width, height), facecolor="white")
    FigureCanvasAgg(figure)
    page = Page(figure, width, height)
    page.text(
        MARGIN, 0.2, "The most reliable nodes of each level", size=TITLE, colour=INK, weight="bold"
    )
    page.lines(MARGIN, 0.45, [legend(report), headline(report)])
    y = HEAD
    for level in range(len(report.levels) - 1, -1, -1):
        _block(page, report, level, y)
        y += block
    scale(page, MARGIN, y)
    words = (
        f"{response(report)} δ is the squared difference of the numbers, p the node's reliability."
    )
    page.lines(MARGIN, y + 0.22, wrapped(words, width - 2 * MARGIN), size=SMALL)
    return figure


def scale(page: Page, x: float, y: float) -> None:
    """Draw the colour scale of responses."""
    page.text(x, y - 0.01, "lowers it", size=SMALL)
    page.picture(x + 0.5, y, ramp(511)[None], width=1.8, height=0.1)
    page.text(x + 2.35, y - 0.01, "raises it", size=SMALL)


def _x(column: int) -> float:
    """Left edge of a column; the two kinds of nodes stand apart."""
    apart = BETWEEN if column >= SHOWN else 0.0
    return MARGIN + NAMES + column * (TILE + SPACE) + apart


def _block(page: Page, report: GraphReport, level: int, y: float) -> None:
    pairs = report.levels[level]
    found = choose(pairs, SHOWN, among=MOST_RELIABLE)
    page.text(MARGIN, y, _title(report, level), size=9, colour=INK, weight="bold")
    for column, kind in zip((0, SHOWN), kinds(report), strict=True):
        page.text(_x(column), y + 0.27, kind)
    for first, nodes in zip((0, SHOWN), found, strict=True):
        for column, node in enumerate(nodes, start=first):
            _node(page, report, (level, node), _x(column), y + HEADING - 0.12)
    for row, letter in enumerate(LETTERS[: len(report.pictures)]):
        middle = y + HEADING - 0.12 + row * (TILE + SPACE) + TILE / 2 - 0.08
        page.text(MARGIN, middle, letter, size=11, colour=INK, weight="bold")


def _title(report: GraphReport, level: int) -> str:
    pairs = report.levels[level]
    total = len(pairs[0])
    among = reliable(pairs, MOST_RELIABLE)
    if level == 0:
        return f"Level 1, the lowest: all {total} nodes, reliable by definition"
    p = np.concatenate([nodes.reliability[sorted(among)] for nodes in pairs])
    which = f"the {len(among)} most reliable of {total}" if len(among) < total else f"all {total}"
    return f"Level {level + 1}: {which} nodes, p from {p.min():.3f} to {p.max():.3f}"


def _node(page: Page, report: GraphReport, place: tuple[int, int], x: float, y: float) -> None:
    level, node = place
    for row, picture in enumerate(thumbnails(report, level, node, side=DRAWN)):
        top = y + row * (TILE + SPACE)
        page.picture(x, top, np.asarray(picture), width=TILE, height=TILE)
    pairs = report.levels[level]
    below = y + len(report.pictures) * (TILE + SPACE) - SPACE + 0.05
    middle = x + TILE / 2
    page.text(middle, below, f"node {node}", size=SMALL, colour=INK, align="center")
    lines = [f"δ {differences(pairs, node)}", f"p {reliabilities(pairs, node)}"]
    page.lines(middle, below + LINE_HEIGHT, lines, size=SMALL, align="center")
