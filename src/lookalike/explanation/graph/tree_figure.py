"""The graph from the top down, each row opening a node of the one above (the paper's figure 7)."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageDraw, ImageOps

from lookalike.explanation.account.nodes import Nodes
from lookalike.explanation.graph.graph_report import GraphReport
from lookalike.explanation.graph.node_choice import BREADTH, ENDS, Branch, grow
from lookalike.explanation.graph.node_words import (
    LETTERS,
    RESPONSE,
    how_to_read,
    kinds,
    legend,
    node_numbers,
    short,
    thumbnails,
)
from lookalike.rendering.figures import INK
from lookalike.rendering.sheet_figure import (
    BODY,
    SPACE,
    Band,
    SheetWidths,
    draw_bands,
    foot_bands,
    head_bands,
    row_bands,
)
from lookalike.rendering.sheets import Sheet, SheetColumn, SheetRow, Tile

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.gridspec import SubplotSpec

CARD = 2.55
"""Width of a node, inches."""
ROOM = 0.75
"""Height of the edges between two rows, inches."""
DRAWN, GAP = 230, 12
"""Side of a drawn thumbnail, and white between two, pixels."""
THIN, THICK, EDGE = 0.8, 7.0, "#aeb4bd"
"""Width of the weakest and of the strongest edge drawn, points, and their colour."""
STRANDS = 0.2
"""Between the edges where they leave a node, inches."""


def draw_tree(report: GraphReport) -> "Figure":
    """Draw a tree; it belongs to no window and needs no display."""
    branches = grow([why.nodes for why in report.pairs])
    count = max(len(branch.nodes) for branch in (*branches, Branch(0, (0,) * 2 * ENDS)))
    columns = SheetWidths(0.0, CARD, max(count, BREADTH))
    sheet = Sheet(
        title="The graph from the top down",
        note=legend(report),
        rows=tuple(_row(report, branch) for branch in branches),
        scale=RESPONSE,
        notes=(
            f"{how_to_read(report)} δ: squared difference of the numbers; p: reliability; λ: how "
            "much the distance grows with δ. An edge is as wide as its weight ω̃, relative to the "
            "widest of its row. Of each row the least reliable node that has links is opened: the "
            "one in a black frame.",
        ),
    )
    bands = [*head_bands(sheet, columns.width), *row_bands(sheet.rows[0], columns)]
    for (above, branch), row in zip(pairwise(branches), sheet.rows[1:], strict=True):
        bands += [_edges(above, branch, columns), *row_bands(row, columns)]
    return draw_bands([*bands, *foot_bands(sheet, columns.width)], columns.width)


def _row(report: GraphReport, branch: Branch) -> SheetRow:
    heads = [
        SheetColumn(head, f"level {branch.level + 1}, node {node}")
        for head, node in zip(_kinds(report, branch), branch.nodes, strict=True)
    ]
    tiles = tuple(_card(report, branch, node) for node in branch.nodes)
    return SheetRow("", tiles, columns=tuple(heads))


def _kinds(report: GraphReport, branch: Branch) -> list[str]:
    """Say of the top row's nodes which are alike."""
    if branch.weights:
        return [""] * len(branch.nodes)
    alike, apart = kinds(report)
    half = -(-len(branch.nodes) // 2)
    return [alike if place < half else apart for place in range(len(branch.nodes))]


def _card(report: GraphReport, branch: Branch, node: int) -> Tile:
    """Draw a node: its responses side by side, and its numbers."""
    pairs = report.levels[branch.level]
    drawn = thumbnails(report, branch.level, node, side=DRAWN)
    card = Image.new("RGB", (len(drawn) * (DRAWN + GAP) - GAP, DRAWN), "white")
    for place, (letter, picture) in enumerate(zip(LETTERS, drawn, strict=False)):
        ImageDraw.Draw(picture).text((8, 4), letter, fill=INK, font_size=26)
        card.paste(picture, (place * (DRAWN + GAP), 0))
    numbers = node_numbers(pairs, node, sensitivity=True)
    if node != branch.opened:
        return Tile(card, words=numbers)
    return Tile(
        ImageOps.expand(card, border=6, fill=INK), words=f"{numbers}\n{_heard(pairs, node)}"
    )


def _heard(pairs: Sequence[Nodes], node: int) -> str:
    """Say how much of a node comes from below, and how much of that is shown."""
    edges = pairs[0].edges
    assert edges is not None
    heard = " | ".join(f"{100 * (1 - nodes.reliability[node]):.0f} %" for nodes in pairs)
    shown = pairs[0].neighbours(node, BREADTH)
    weigh = f"{100 * sum(weight for _, weight in shown):.0f} %"
    return (
        f"{heard} of it comes from {np.count_nonzero(edges[node])} nodes below; "
        f"the {len(shown)} shown weigh {weigh}"
    )


def _edges(above: Branch, branch: Branch, columns: SheetWidths) -> Band:
    """Return the edges from the node opened to the nodes of the row below."""
    assert above.opened is not None
    start = _middle(above.nodes.index(above.opened))

    def draw(figure: "Figure", place: "SubplotSpec") -> None:
        axes = figure.add_subplot(place, xlim=(0, columns.width), ylim=(ROOM, 0))
        axes.set_axis_off()
        for number, weight in enumerate(branch.weights):
            leaves = start + STRANDS * (number - (len(branch.weights) - 1) / 2)
            width = max(THIN, THICK * weight / max(branch.weights))
            _edge(axes, leaves, _middle(number), width)
            text = f"ω̃ {short(weight)}"
            axes.text(_middle(number) + 0.1, 0.85 * ROOM, text, size=BODY, color=INK, weight="bold")

    return Band(ROOM, draw)


def _middle(place: int) -> float:
    return place * (CARD + SPACE) + CARD / 2


def _edge(axes: "Axes", start: float, end: float, width: float) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    points = [(start, 0.0), (start, 0.6 * ROOM), (end, 0.4 * ROOM), (end, ROOM)]
    path = Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
    patch = PathPatch(path, fill=False, edgecolor=EDGE, linewidth=width, capstyle="butt")
    axes.add_patch(patch)
