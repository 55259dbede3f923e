"""The graph from the top down, each row opening a node of the one above (the paper's figure 7)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lookalike.explanation.account.nodes import Nodes
from lookalike.explanation.graph.cards import (
    LETTERS,
    differences,
    headline,
    kinds,
    legend,
    reliabilities,
    response,
    sensitivities,
    short,
    thumbnails,
)
from lookalike.explanation.graph.node_figure import scale
from lookalike.explanation.graph.report import GraphReport
from lookalike.explanation.graph.tree import BREADTH, ENDS, Branch, grow
from lookalike.rendering.figures import INK
from lookalike.rendering.sheet_figure import BODY, SMALL, TITLE, Page, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Inches.
MARGIN, APART, INSIDE = 0.25, 0.4, 0.08
SIDES = {2: 1.12, 3: 0.9}
"""Side of a thumbnail, by how many a card has."""
NAME, NUMBERS = 0.24, 0.55
HEAD, ROOM, FOOT = 1.27, 0.95, 0.95
"""Above the first row, between rows for the edges, and below the last."""
THIN, THICK = 0.8, 7.0
"""Width of the weakest and of the strongest edge drawn, points."""
DRAWN = 230
"""Side of a drawn thumbnail, pixels."""
STRANDS = 0.2
"""Between the edges where they leave a card."""
EDGE = "#aeb4bd"


def draw(report: GraphReport) -> "Figure":
    """Draw a tree; it belongs to no window and needs no display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rows = grow([why.nodes for why in report.pairs])
    card = _Card(report)
    columns = max(2 * ENDS, BREADTH)
    width = 2 * MARGIN + columns * (card.width + APART) - APART
    height = HEAD + len(rows) * (card.height + ROOM) - ROOM + FOOT
    figure = Figure(figsize=(width, height), facecolor="white")
    FigureCanvasAgg(figure)
    page = Page(figure, width, height)
    page.text(MARGIN, 0.2, "The graph from the top down", size=TITLE, colour=INK, weight="bold")
    page.lines(MARGIN, 0.45, [legend(report), headline(report)])
    _kinds(page, card, rows[0])
    y = HEAD
    for above, row in zip([None, *rows], rows, strict=False):
        if above is not None:
            _edges(page, card, above, row, y)
        for place, node in enumerate(row.nodes):
            card.draw(page, row, node, _x(page, card, row, place), y)
        y += card.height + ROOM
    _foot(page, report, y - ROOM + 0.25)
    return figure


@dataclass(frozen=True, slots=True)
class _Card:
    """How a node is drawn: its name, its thumbnails side by side, and its numbers.

    Args:
        report: Whose nodes.
    """

    report: GraphReport

    @property
    def side(self) -> float:
        return SIDES[len(self.report.pictures)]

    @property
    def width(self) -> float:
        return len(self.report.pictures) * (self.side + INSIDE) - INSIDE

    @property
    def height(self) -> float:
        return NAME + self.side + NUMBERS

    def draw(self, page: Page, row: Branch, node: int, x: float, y: float) -> None:
        """Draw a node with its top left corner at (x, y)."""
        pairs = self.report.levels[row.level]
        if node == row.opened:
            _frame(page, x, y, self.width, self.height)
        name = f"level {row.level + 1}, node {node}"
        page.text(x, y, name, colour=INK, weight="bold")
        for place, picture in enumerate(thumbnails(self.report, row.level, node, side=DRAWN)):
            left = x + place * (self.side + INSIDE)
            page.picture(left, y + NAME, np.asarray(picture), width=self.side, height=self.side)
            page.text(left + 0.05, y + NAME + 0.04, LETTERS[place], colour=INK, weight="bold")
        lines = [
            f"δ {differences(pairs, node)}",
            f"p {reliabilities(pairs, node)}",
            f"λ {sensitivities(pairs, node)}",
        ]
        below = y + NAME + self.side + 0.06
        page.lines(x, below, lines)
        if node == row.opened:
            told = _opened(pairs, node)
            page.lines(x + self.width, below, told, align="right")


def _opened(pairs: Sequence[Nodes], node: int) -> list[str]:
    """Say how much of a node comes from below, and how much of that is shown."""
    edges = pairs[0].edges
    assert edges is not None
    heard = " | ".join(f"{100 * (1 - nodes.reliability[node]):.0f} %" for nodes in pairs)
    shown = pairs[0].neighbours(node, BREADTH)
    return [
        f"{heard} of it comes",
        f"from {np.count_nonzero(edges[node])} nodes below;",
        f"{len(shown)} shown weigh {100 * sum(weight for _, weight in shown):.0f} %",
    ]


def _x(page: Page, card: _Card, row: Branch, place: int) -> float:
    """Left edge of a node; rows with fewer nodes than others are centred."""
    used = len(row.nodes) * (card.width + APART) - APART
    return (page.width - used) / 2 + place * (card.width + APART)


def _kinds(page: Page, card: _Card, top: Branch) -> None:
    alike = -(-len(top.nodes) // 2)
    for place, kind in zip((0, alike), kinds(card.report), strict=True):
        if place < len(top.nodes):
            page.text(_x(page, card, top, place), HEAD - 0.3, kind, size=9)


def _frame(page: Page, x: float, y: float, width: float, height: float) -> None:
    from matplotlib.patches import Rectangle

    edge = 0.1
    place = ((x - edge) / page.width, 1 - (y + height) / page.height)
    size = ((width + 2 * edge) / page.width, (height + edge) / page.height)
    page.figure.add_artist(
        Rectangle(place, *size, fill=False, edgecolor=INK, linewidth=1.2, clip_on=False)
    )


def _edges(page: Page, card: _Card, above: Branch, row: Branch, y: float) -> None:
    """Draw the edges from the node opened to the nodes of a row whose top is at y."""
    assert above.opened is not None
    place = above.nodes.index(above.opened)
    middle = _x(page, card, above, place) + card.width / 2
    strongest = max(row.weights)
    for number, weight in enumerate(row.weights):
        start = (middle + STRANDS * (number - (len(row.weights) - 1) / 2), y - ROOM)
        end = (_x(page, card, row, number) + card.width / 2, y - 0.08)
        _edge(page, start, end, max(THIN, THICK * weight / strongest))
        page.text(
            end[0] + 0.1, y - 0.24, f"ω̃ {short(weight)}", size=BODY, colour=INK, weight="bold"
        )


def _edge(page: Page, start: tuple[float, float], end: tuple[float, float], width: float) -> None:
    """Draw a curve between two places in inches from the top left."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    bend = (end[1] - start[1]) * 0.6
    points = [start, (start[0], start[1] + bend), (end[0], end[1] - bend), end]
    path = Path(
        [(x / page.width, 1 - y / page.height) for x, y in points],
        [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4],
    )
    page.figure.add_artist(
        PathPatch(path, fill=False, edgecolor=EDGE, linewidth=width, capstyle="butt")
    )


def _foot(page: Page, report: GraphReport, y: float) -> None:
    scale(page, MARGIN, y)
    words = (
        f"{response(report)} δ: squared difference of the numbers; p: reliability; λ: how much the "
        "distance grows with δ. An edge is as wide as its weight ω̃, relative to the widest of its "
        "row. Of each row the least reliable node that has links is opened."
    )
    page.lines(MARGIN, y + 0.22, wrapped(words, page.width - 2 * MARGIN), size=SMALL)
