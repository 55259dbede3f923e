"""How the contributions of a graph's nodes are distributed, level by level, for each pair."""

from typing import TYPE_CHECKING

import numpy as np

from lookalike.explanation.account.nodes import Array
from lookalike.explanation.graph.cards import LETTERS, PAIR_COLOURS, headline, legend
from lookalike.explanation.graph.report import GraphReport
from lookalike.rendering.figures import INK, LINE, PALE
from lookalike.rendering.sheet_figure import LEAST_WIDTH, TITLE, Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches.
LEFT, RIGHT, HEAD, FOOT = 0.75, 0.3, 1.15, 0.65
PANEL, HEIGHT, ACROSS, DOWN = 2.7, 1.8, 0.55, 0.75
BINS = 25


def draw(report: GraphReport) -> "Figure":
    """Draw a histogram and a running total for each level; the figure belongs to no window."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = len(report.levels)
    width = max(LEFT + columns * (PANEL + ACROSS) - ACROSS + RIGHT, LEAST_WIDTH)
    height = HEAD + 2 * HEIGHT + DOWN + FOOT
    figure = Figure(figsize=(width, height), facecolor="white")
    FigureCanvasAgg(figure)
    page = Page(figure, width, height)
    title = "What the nodes add to the distance"
    page.text(LEFT, 0.2, title, size=TITLE, colour=INK, weight="bold")
    page.lines(LEFT, 0.45, [legend(report), headline(report)])
    grid = figure.add_gridspec(
        2,
        columns,
        left=LEFT / width,
        right=1 - RIGHT / width,
        top=1 - HEAD / height,
        bottom=FOOT / height,
        wspace=ACROSS / PANEL,
        hspace=DOWN / HEIGHT,
    )
    bins = _bins(report)
    first: list[Axes | None] = [None, None]
    for column, level in enumerate(reversed(range(columns))):
        for row in (0, 1):
            axes = figure.add_subplot(grid[row, column], sharey=first[row])
            first[row] = first[row] or axes
            _style(axes)
            _panel(axes, report, level, bins if row == 0 else None)
    for row, room in ((0, 1.35), (1, 1.05)):  # the legend stands above the bars
        most = max(axes.dataLim.y1 for axes in figure.axes[row::2])
        figure.axes[row].set_ylim(0, room * (most or 1))
    return figure


def _added(report: GraphReport, level: int) -> list[Array]:
    """Return λδ of a level's nodes, for each pair."""
    return [-nodes.contribution for nodes in report.levels[level]]


def _bins(report: GraphReport) -> Array:
    """Return edges of bins, the same for all levels, that grow tenfold at equal steps."""
    values = np.concatenate(
        [v for level in range(len(report.levels)) for v in _added(report, level)]
    )
    largest = float(values.max()) or 1.0
    return np.geomspace(largest * 1e-6, largest, BINS + 1)


def _panel(axes: "Axes", report: GraphReport, level: int, bins: Array | None) -> None:
    """Draw one level: its histogram, or without bins its running total."""
    pairs = zip(LETTERS[1:], PAIR_COLOURS, _added(report, level), strict=False)
    for letter, colour, values in pairs:
        label = f"A with {letter}: {values.sum():.4f}"
        if bins is not None:
            axes.hist(
                np.clip(values, bins[0], None),
                bins=list(bins),
                histtype="stepfilled",
                facecolor=(colour, 0.25),
                edgecolor=colour,
                label=label,
            )
        else:
            axes.plot(np.arange(len(values) + 1), [0, *np.cumsum(np.sort(values)[::-1])], c=colour)
    if bins is None:
        axes.set_xlabel("nodes, the largest first", size=8, color=PALE)
        axes.set_xlim(0, len(report.levels[level][0]))
    else:
        axes.set_title(f"Level {level + 1}", size=9, weight="bold", color=INK, loc="left")
        axes.set_xscale("log")
        axes.set_xlabel("λδ of a node; the first bar has all below", size=8, color=PALE)
        axes.legend(fontsize=7, frameon=False, labelcolor=PALE, loc="upper left")
    if level == len(report.levels) - 1:
        axes.set_ylabel("nodes" if bins is not None else "distance", size=8, color=PALE)


def _style(axes: "Axes") -> None:
    axes.tick_params(which="both", labelsize=7, color=LINE, labelcolor=PALE)
    for side, spine in axes.spines.items():
        spine.set(edgecolor=LINE, visible=side in ("left", "bottom"))
