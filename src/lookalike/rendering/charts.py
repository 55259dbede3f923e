"""Charts by matplotlib: curves, dots with their spread; and a figure as inline SVG.

Only matplotlib's own objects are used, never pyplot. Constrained layout places everything; a
figure's size follows from how many rows it has. Colours are numbers into `COLOURS`; in a page they
follow the page's light or dark style (`report.css`).
"""

import re
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#a3458a", "#8a6a00", "#2f2f2f")
"""They differ for colour-blind readers too; `report.css` has versions for dark pages."""
INK, PALE, LINE, GROUND = "#1a1a1a", "#5b6068", "#d9dce1", "#ffffff"
FONT = 9.5
"""Points."""
NAME = 0.185
"""From one name to the next below it, inches."""
PAGE, HALF = 12.4, 6.0
"""Width of a chart alone on a page and of one beside another, inches."""
ROW, HEAD = 0.3, 0.85
"""Height of a row, and of title and axis together, inches."""
MOST_TICKS = 16
"""Ticks of all plots beside each other on a page."""
_SAID = "words: "
"""Begins the identifier of an artist that has words for a reader who points at it."""
_VARIABLES = {
    "ink": INK,
    "pale": PALE,
    "line": LINE,
    "ground": GROUND,
    **{f"c{number}": colour for number, colour in enumerate(COLOURS)},
}
"""The names that pages have for colours."""


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

    @property
    def line(self) -> "Line2D":
        """The line, for axes or for a key."""
        from matplotlib.lines import Line2D

        return Line2D(
            self.xs,
            self.ys,
            color=colour_of(self.colour),
            linestyle=(0, (4, 3)) if self.dashed else "-",
            linewidth=1.2 if self.colour is None else 1.7,
        )


@dataclass(frozen=True, slots=True)
class CurvePlot:
    """Curves on the same axes.

    Args:
        curves: The first one is drawn below the others.
        title: Above the axes.
        x_label: Of the horizontal axis.
        y_label: Of the vertical axis.
        x_ticks: Words and where they stand; empty for numbers.
    """

    curves: tuple[Curve, ...]
    title: str = ""
    x_label: str = ""
    y_label: str = ""
    x_ticks: Mapping[str, float] = field(default_factory=dict)


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


def curves(
    plots: Sequence[CurvePlot],
    *,
    label: str,
    names: Literal["key", "ends"] = "key",
    marked: bool = False,
) -> "Figure":
    """Draw curves, their intervals as bands.

    Args:
        plots: Two beside each other, further ones below.
        label: What the picture shows, for a reader who cannot see it.
        names: Where curves are named: in one key for all plots, or at their ends.
        marked: Every value has a dot, and its interval is an upright line instead of a band.
    """
    across = min(2, len(plots))
    down = -(-len(plots) // across)
    named = NAME * max(len(plot.curves) for plot in plots) if names == "ends" else 0.0
    size = HALF * across, down * max(3.0, HEAD + named)
    figure, grid = new_axes(down, across, size=size, label=label)
    for axes, plot in zip(grid, plots, strict=False):
        grid_lines: Literal["y", "both"] = "y" if plot.x_ticks else "both"
        style(axes, plot.title, grid=grid_lines, x_label=plot.x_label, y_label=plot.y_label)
        if marked:
            axes.margins(0.08)
        for curve in plot.curves:
            _draw_curve(axes, curve, marked=marked)
        if plot.x_ticks:
            axes.set_xticks(list(plot.x_ticks.values()), list(plot.x_ticks))
        if names == "ends":
            _name_at_right(axes, plot.curves)
    for axes in grid[len(plots) :]:
        axes.set_visible(False)
    if names == "key":
        _key_below(figure, {curve.name: curve.line for plot in plots for curve in plot.curves})
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
    from matplotlib.lines import Line2D

    placed = [
        [[dot for dot in plot.dots if dot.row == row] for row in range(len(rows))] for plot in plots
    ]
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
    first = grid[0]
    first.set_ylim(len(rows) - 0.5, -0.5)
    first.set_yticks(range(len(rows)), rows)
    first.tick_params(axis="y", length=0, labelcolor=INK, labelsize=FONT)
    for number in headings:
        first.get_yticklabels()[number].set_fontweight("bold")
    if key:
        samples = {n: Line2D([], [], marker="o", ls="", color=colour_of(c)) for n, c in key.items()}
        _key_below(figure, samples)
    return figure


def to_svg(figure: "Figure") -> str:
    """Return a figure as an SVG element for a page: the same text for the same figure.

    Colours are the page's own variables where it has them, and text is in the page's font.
    """
    import matplotlib
    from markupsafe import Markup, escape

    out = StringIO()
    unsaid = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with (
        matplotlib.rc_context({"svg.hashsalt": "lookalike", "svg.fonttype": "none"}),
        warnings.catch_warnings(),
    ):
        # A browser has letters that the font of the layout lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(out, format="svg", metadata=unsaid)
    svg = out.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<!--.*?-->\n?|<metadata>.*?</metadata>\n?", "", svg, flags=re.DOTALL)
    svg = re.sub(rf'<g id="{_SAID}([^"]*)">', r"<g><title>\1</title>", svg)
    svg = re.sub(r'<g id="[\w.]+_\d+"', "<g", svg)  # the same in every figure, and not referred to
    svg = re.sub(r" font-family: [^;\"]*;?", "", svg)
    for name, colour in _VARIABLES.items():
        svg = svg.replace(colour, f"var(--{name}, {colour})")
    label = escape(figure.get_label())
    return Markup(svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1))


def colour_of(number: int | None) -> str:
    """Return a colour by its number, from the first again after the last; pale for None."""
    return PALE if number is None else COLOURS[number % len(COLOURS)]


def new_axes(
    down: int,
    across: int,
    *,
    size: tuple[float, float],
    label: str,
    sharex: bool = False,
    sharey: bool | Literal["row"] = False,
) -> "tuple[Figure, list[Axes]]":
    """Return a figure and its axes, row by row.

    Args:
        down: Axes below each other.
        across: Axes beside each other.
        size: Of the figure, inches.
        label: What the picture shows, for a reader who cannot see it.
        sharex: Whether all have one horizontal axis.
        sharey: Whether all have one vertical axis, or all of a row.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=size, layout=ConstrainedLayoutEngine(wspace=0.05), facecolor="none")
    FigureCanvasAgg(figure)
    figure.set_label(label)
    grid = figure.subplots(down, across, squeeze=False, sharex=sharex, sharey=sharey)
    return figure, list(grid.flat)


def style(
    axes: "Axes",
    title: str,
    *,
    grid: Literal["x", "y", "both"],
    x_label: str = "",
    y_label: str = "",
) -> None:
    """Give axes a title and labels, thin grid lines below what is drawn, and few other lines."""
    axes.set_facecolor("none")
    axes.set_title(title, loc="left", size=FONT + 0.5, weight="bold", color=INK)
    axes.set_xlabel(x_label, size=FONT, color=PALE)
    axes.set_ylabel(y_label, size=FONT, color=PALE)
    axes.grid(axis=grid, color=LINE, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(colors=LINE, labelcolor=PALE, labelsize=FONT - 0.5)
    axes.spines[:].set_visible(False)
    axes.spines["bottom"].set(visible=True, color=LINE)


def say(artist: "Artist", words: str) -> None:
    """Give something drawn the words that a page shows to a reader who points at it."""
    if words:
        artist.set_gid(_SAID + words)


def _draw_curve(axes: "Axes", curve: Curve, *, marked: bool) -> None:
    line, colour = curve.line, colour_of(curve.colour)
    if curve.lows and marked:
        axes.vlines(curve.xs, curve.lows, curve.highs, color=colour, alpha=0.55, linewidth=1.6)
    elif curve.lows:
        axes.fill_between(curve.xs, curve.lows, curve.highs, color=colour, alpha=0.14, linewidth=0)
    if marked:
        line.set(marker="o", markersize=5.5, markerfacecolor="white" if curve.dashed else colour)
    say(line, curve.words or curve.name)
    axes.add_line(line)
    axes.autoscale_view()


def _draw_dot(axes: "Axes", dot: Dot, y: float) -> None:
    colour = colour_of(dot.colour)
    faint = 0.45 if dot.faint else 1.0
    axes.hlines(y, dot.low, dot.high, color=colour, alpha=0.55 * faint, linewidth=1.6)
    axes.plot(dot.single, [y] * len(dot.single), "o", color=colour, alpha=0.45, ms=5.5, mew=0)
    mean = axes.plot([dot.value], [y], "|" if dot.single else "o", color=colour, alpha=faint)[0]
    mean.set(markersize=11 if dot.single else 6.5, markeredgewidth=2.6 if dot.single else 0)
    say(mean, dot.words)


def _key_below(figure: "Figure", samples: "Mapping[str, Artist]") -> None:
    """Say below all axes what each line or dot is."""
    figure.legend(
        list(samples.values()),
        list(samples),
        loc="outside lower left",
        ncols=6,
        frameon=False,
        fontsize=FONT,
        labelcolor=INK,
    )


def _name_at_right(axes: "Axes", named: Sequence[Curve]) -> None:
    """Write the names of curves to the right of the axes, each with a thin line to its end."""
    height = axes.bbox.height / axes.figure.dpi  # before the layout: a little too much
    low, high = axes.get_ylim()
    ends = [
        next((x, y) for x, y in zip(curve.xs[::-1], curve.ys[::-1], strict=True) if y == y)
        for curve in named
    ]
    wanted = [(y - low) / (high - low) for _, y in ends]
    places = _apart(wanted, gap=NAME / max(height, NAME * len(named)))
    for curve, end, place in zip(named, ends, places, strict=True):
        axes.annotate(
            curve.name,
            end,
            xytext=(1.05, place),
            textcoords="axes fraction",
            color=colour_of(curve.colour),
            size=FONT,
            va="center",
            arrowprops={"arrowstyle": "-", "color": LINE, "shrinkA": 2, "shrinkB": 4, "lw": 0.8},
            zorder=0,
        )


def _apart(places: Sequence[float], *, gap: float) -> list[float]:
    """Move places from 0 to 1 until none is nearer to the next than `gap`; their order stays.

    >>> _apart([0.75, 0.75, 0.125], gap=0.25)
    [0.75, 1.0, 0.125]
    """
    order = np.argsort(places, kind="stable")
    steps = gap * np.arange(len(places))
    moved = np.array(places)[order]
    moved = np.maximum.accumulate(np.maximum(moved, 0) - steps) + steps
    moved = np.minimum.accumulate((np.minimum(moved, 1) - steps)[::-1])[::-1] + steps
    return [float(place) for place in moved[np.argsort(order)]]
