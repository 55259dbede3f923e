"""How the contributions of a graph's nodes are distributed, level by level, for each pair."""

from typing import TYPE_CHECKING

import numpy as np

from lookalike.explanation.account.nodes import Array
from lookalike.explanation.graph.graph_report import GraphReport
from lookalike.explanation.graph.node_words import LETTERS, legend
from lookalike.rendering.charts import FONT, INK, PALE, new_axes, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAIR_COLOURS = ("#00796b", "#9c4f00")
"""Of A with B, and of A with C."""
BINS = 25
WIDTH, HEIGHT = 4.2, 6.4
"""Of the charts of a level, inches."""


def draw_spread(report: GraphReport) -> "Figure":
    """Draw a histogram and a running total for each level; the figure belongs to no window."""
    columns = len(report.levels)
    size = max(WIDTH * columns, 2 * WIDTH), HEIGHT
    title = "What the nodes add to the distance"
    figure, axes = new_axes(2, columns, size=size, label=title, sharey="row")
    figure.set_facecolor("white")
    words = f"{title}\n{legend(report)}"
    figure.suptitle(words, x=0.01, ha="left", size=FONT, color=INK, parse_math=False)
    bins = _bins(report)
    for column, level in enumerate(reversed(range(columns))):
        _histogram(axes[column], report, level, bins)
        _running_total(axes[columns + column], report, level)
    axes[columns].set_ylim(bottom=0)  # shared, so after all is drawn
    axes[0].set_ylabel("nodes", size=FONT, color=PALE)
    axes[columns].set_ylabel("distance", size=FONT, color=PALE)
    return figure


def _added(report: GraphReport, level: int) -> list[Array]:
    """Return λδ of a level's nodes, for each pair."""
    return [-nodes.contribution for nodes in report.levels[level]]


def _bins(report: GraphReport) -> Array:
    """Return edges of bins, the same for all levels, that grow tenfold at equal steps."""
    levels = range(len(report.levels))
    largest = max(float(values.max()) for level in levels for values in _added(report, level))
    return np.geomspace((largest or 1.0) * 1e-6, largest or 1.0, BINS + 1)


def _histogram(axes: "Axes", report: GraphReport, level: int, bins: Array) -> None:
    for letter, colour, values in zip(
        LETTERS[1:], PAIR_COLOURS, _added(report, level), strict=False
    ):
        axes.hist(
            np.clip(values, bins[0], None),
            bins=list(bins),
            histtype="stepfilled",
            facecolor=(colour, 0.25),
            edgecolor=colour,
            label=f"A with {letter}: {values.sum():.4f}",
        )
    label = "λδ of a node; the first bar has all below"
    style(axes, f"Level {level + 1}", grid="y", x_label=label)
    axes.set_xscale("log")
    axes.margins(y=0.3)  # the legend stands above the bars
    axes.legend(fontsize=FONT - 1, frameon=False, labelcolor=INK, loc="upper left")


def _running_total(axes: "Axes", report: GraphReport, level: int) -> None:
    for colour, values in zip(PAIR_COLOURS, _added(report, level), strict=False):
        axes.plot(np.arange(len(values) + 1), [0, *np.cumsum(np.sort(values)[::-1])], c=colour)
        axes.set_xlim(0, len(values))
    style(axes, "", grid="y", x_label="nodes, the largest first")
