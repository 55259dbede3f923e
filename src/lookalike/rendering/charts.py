"""Charts by matplotlib: curves, dots, histograms; and a figure as inline SVG.

Only matplotlib's own objects are used, never pyplot. Constrained layout places everything; a
figure's size follows from how many rows it has. Colours are numbers into `COLOURS`; in a page they
follow the page's light or dark style (`report.css`).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from lookalike.rendering.chart_style import (
    INK,
    NAME,
    PALE,
    colour_of,
    key_below,
    name_at_right,
    name_rows,
    new_axes,
    say,
    style,
    to_svg,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

__all__ = [
    "Counts",
    "Curve",
    "CurvePlot",
    "Dot",
    "DotPlot",
    "curves",
    "dots",
    "histogram",
    "to_svg",
]

PAGE, HALF = 12.4, 6.0
"""Width of a chart alone on a page and of one beside another, inches."""
ROW, HEAD = 0.3, 0.85
"""Height of a row, and of title and axis together, inches."""
MOST_TICKS = 16
"""Ticks of all plots beside each other on a page."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Values along an axis.

    Args:
        name: What it is called, in the key or at its end.
        xs: Where the values are.
        ys: The values; NaN if there is none: the curve has a gap there.
        lows: Lower ends of their intervals; empty if there are none.
        highs: Upper ends.
        colour: Number of its colour; None for a curve that the others are compared with.
        dashed: Whether the line is dashed.
        words: What a reader sees who points at it.
    """

    name: str
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    lows: tuple[float, ...] = ()
    highs: tuple[float, ...] = ()
    colour: int | None = 0
    dashed: bool = False
    words: str = ""


@dataclass(frozen=True, slots=True)
class CurvePlot:
    """Curves on the same axes.

    Args:
        curves: The first one is drawn below the others.
        title: Above the axes.
        x_label: Of the horizontal axis.
        y_label: Of the vertical axis.
        x_ticks: Words and where they stand; empty for numbers.
        y_limits: What the vertical axis shows; None for all values.
    """

    curves: tuple[Curve, ...]
    title: str = ""
    x_label: str = ""
    y_label: str = ""
    x_ticks: Mapping[str, float] | None = None
    y_limits: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Dot:
    """A value of one row, with its spread or interval.

    Args:
        row: Number of the row.
        value: A mean or an estimate.
        low: Lower end of its spread or interval.
        high: Upper end.
        single: Values that it is the mean of, each with a dot of its own.
        colour: Number of its colour.
        faint: Whether it is drawn pale, as a control.
        words: What a reader sees who points at it.
    """

    row: int
    value: float
    low: float
    high: float
    single: tuple[float, ...] = ()
    colour: int = 0
    faint: bool = False
    words: str = ""


@dataclass(frozen=True, slots=True)
class DotPlot:
    """One measure of all rows.

    Args:
        title: What is measured.
        dots: Several of one row lie above each other.
        marks: Values with a dashed line, for instance chance.
        hint: In small print under the axis: which way is better.
        limits: What the axis shows; None for all values.
    """

    title: str
    dots: tuple[Dot, ...]
    marks: tuple[float, ...] = ()
    hint: str = ""
    limits: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """A histogram of one row.

    Args:
        name: Of the row.
        counts: How many values lie in each bin.
        mean: Of all values.
        note: Written to the right.
        colour: Number of its colour.
        words: What a reader sees who points at it.
    """

    name: str
    counts: tuple[float, ...]
    mean: float
    note: str = ""
    colour: int = 0
    words: str = ""


def curves(
    plots: Sequence[CurvePlot],
    *,
    label: str,
    names: Literal["key", "ends", ""] = "key",
    columns: int = 2,
    marked: bool = False,
) -> "Figure":
    """Draw curves, their intervals as bands.

    Args:
        plots: Beside and below each other.
        label: What the picture shows, for a reader who cannot see it.
        names: Where curves are named: in one key for all plots, at their ends, or nowhere.
        columns: How many plots stand beside each other, at most.
        marked: Every value has a dot, and its interval is an upright line instead of a band.
    """
    across = min(columns, len(plots))
    down = -(-len(plots) // across)
    named = NAME * max(len(plot.curves) for plot in plots) if names == "ends" else 0.0
    figure, grid = new_axes(
        down, across, size=(HALF * across, down * max(3.0, HEAD + named)), label=label
    )
    for axes, plot in zip(grid, plots, strict=False):
        grid_lines: Literal["y", "both"] = "both" if plot.x_ticks is None else "y"
        style(axes, plot.title, grid=grid_lines, x_label=plot.x_label, y_label=plot.y_label)
        if marked:
            axes.margins(0.08)
        for curve in plot.curves:
            _draw_curve(axes, curve, marked=marked)
        if plot.x_ticks is not None:
            axes.set_xticks(list(plot.x_ticks.values()), list(plot.x_ticks))
        if plot.y_limits is not None:
            axes.set_ylim(*plot.y_limits)
        if names == "ends":
            name_at_right(axes, [(c.name, *_end(c), colour_of(c.colour)) for c in plot.curves])
    for axes in grid[len(plots) :]:
        axes.set_visible(False)
    if names == "key":
        key_below(figure, {c.name: _sample(c) for plot in plots for c in plot.curves})
    return figure


def dots(
    rows: Sequence[str],
    plots: Sequence[DotPlot],
    *,
    label: str,
    headings: Collection[int] = (),
    key: Mapping[str, int] | None = None,
) -> "Figure":
    """Draw values with their spread, a row for each name and a plot for each measure.

    Args:
        rows: Names, from the top down.
        plots: Beside each other.
        label: What the picture shows, for a reader who cannot see it.
        headings: Numbers of rows that are headings of those below.
        key: Names of the colours, by their numbers.
    """
    placed = [_placed(plot.dots) for plot in plots]
    most = max((len(group) for groups in placed for group in groups), default=1)
    height = HEAD + ROW * len(rows) * max(1.0, most / 2) + (0.3 if key else 0.0)
    figure, grid = new_axes(1, len(plots), size=(PAGE, height), label=label, sharey=True)
    for axes, plot, groups in zip(grid, plots, placed, strict=True):
        style(axes, plot.title, grid="x", x_label=plot.hint)
        axes.locator_params(axis="x", nbins=max(3, MOST_TICKS // len(plots)))
        for mark in plot.marks:
            axes.axvline(mark, color=PALE, linestyle=(0, (3, 3)), linewidth=1)
        for group in groups:
            for place, dot in enumerate(group):
                _draw_dot(axes, dot, dot.row + 0.6 * ((place + 0.5) / len(group) - 0.5))
        if plot.limits is not None:
            axes.set_xlim(*plot.limits)
    name_rows(grid[0], rows, headings)
    if key:
        from matplotlib.lines import Line2D

        key_below(
            figure,
            {n: Line2D([], [], marker="o", ls="", color=colour_of(c)) for n, c in key.items()},
        )
    return figure


def histogram(
    rows: Sequence[Counts], edges: Sequence[float], *, label: str, x_label: str
) -> "Figure":
    """Draw histograms below each other on one axis, each to its own highest bin.

    Args:
        rows: From the top down.
        edges: Of the bins, one more than there are counts.
        label: What the picture shows, for a reader who cannot see it.
        x_label: Of the axis.
    """
    size = 0.75 * PAGE, HEAD + 2 * ROW * len(rows)
    figure, grid = new_axes(len(rows), 1, size=size, label=label, sharex=True)
    used = [place for row in rows for place, count in enumerate(row.counts) if count]
    for axes, row in zip(grid, rows, strict=True):
        last = row is rows[-1]
        style(axes, "", grid="x", x_label=x_label if last else "")
        colour = colour_of(row.colour)
        say(axes.stairs(row.counts, edges, fill=True, color=colour, alpha=0.3), row.words)
        axes.stairs(row.counts, edges, color=colour, linewidth=1.2)
        axes.axvline(row.mean, color=colour, linewidth=2.6)
        axes.set_xlim(edges[max(0, min(used) - 1)], edges[min(len(edges) - 1, max(used) + 2)])
        axes.set_ylim(0, 1.05 * max(row.counts))
        axes.set_yticks([0], [row.name])
        axes.tick_params(axis="y", length=0, labelcolor=INK)
        axes.tick_params(axis="x", labelbottom=last)
        axes.text(1.02, 0, row.note, color=PALE, transform=axes.transAxes)
    return figure


def _draw_curve(axes: "Axes", curve: Curve, *, marked: bool) -> None:
    colour = colour_of(curve.colour)
    if curve.lows and marked:
        axes.vlines(curve.xs, curve.lows, curve.highs, color=colour, alpha=0.55, linewidth=1.6)
    elif curve.lows:
        axes.fill_between(curve.xs, curve.lows, curve.highs, color=colour, alpha=0.14, linewidth=0)
    line = _sample(curve)
    line.set_data(curve.xs, curve.ys)
    if marked:
        line.set(marker="o", markersize=5.5, markerfacecolor="white" if curve.dashed else colour)
    say(line, curve.words or curve.name)
    axes.add_line(line)
    axes.autoscale_view()


def _sample(curve: Curve) -> "Line2D":
    """Return a curve's line without its values, for the key."""
    from matplotlib.lines import Line2D

    return Line2D(
        [],
        [],
        color=colour_of(curve.colour),
        linestyle=(0, (4, 3)) if curve.dashed else "-",
        linewidth=1.2 if curve.colour is None else 1.7,
    )


def _end(curve: Curve) -> tuple[float, float]:
    """Return a curve's last value and where it is."""
    return next((x, y) for x, y in zip(curve.xs[::-1], curve.ys[::-1], strict=True) if y == y)


def _placed(plotted: Sequence[Dot]) -> list[list[Dot]]:
    """Put the dots of each row together."""
    ordered = sorted(plotted, key=lambda dot: dot.row)
    return [list(group) for _, group in groupby(ordered, key=lambda dot: dot.row)]


def _draw_dot(axes: "Axes", dot: Dot, y: float) -> None:
    colour = colour_of(dot.colour)
    faint = 0.45 if dot.faint else 1.0
    axes.hlines(y, dot.low, dot.high, color=colour, alpha=0.55 * faint, linewidth=1.6)
    axes.plot(dot.single, [y] * len(dot.single), "o", color=colour, alpha=0.45, ms=5.5, mew=0)
    mean = axes.plot([dot.value], [y], "|" if dot.single else "o", color=colour, alpha=faint)[0]
    mean.set(markersize=11 if dot.single else 6.5, markeredgewidth=2.6 if dot.single else 0)
    say(mean, dot.words)
