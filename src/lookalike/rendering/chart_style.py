"""How charts look: colours, axes, keys, names beside points; and a figure as inline SVG."""

import re
import warnings
from collections.abc import Collection, Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#a3458a", "#8a6a00", "#2f2f2f")
"""They differ for colour-blind readers too; `report.css` has versions for dark pages."""
INK, PALE, LINE, GROUND = "#1a1a1a", "#5b6068", "#d9dce1", "#ffffff"
FONT = 9.5
"""Points."""
NAME = 0.185
"""From one name to the next below it, inches."""
_SAID = "words: "
"""Begins the identifier of an artist that has words for a reader who points at it."""


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


def name_rows(axes: "Axes", names: Sequence[str], headings: Collection[int] = ()) -> None:
    """Name rows from the top down, at the whole numbers of the vertical axis."""
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0, labelcolor=INK, labelsize=FONT)
    for number in headings:
        axes.get_yticklabels()[number].set_fontweight("bold")


def key_below(figure: "Figure", samples: "Mapping[str, Artist]") -> None:
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


def name_at_right(axes: "Axes", points: Sequence[tuple[str, float, float, str]]) -> None:
    """Write the names of points to the right of the axes, each with a thin line to its point.

    Args:
        axes: Whose limits are final.
        points: Name, place and colour of each.
    """
    height = axes.bbox.height / axes.figure.dpi  # before the layout: a little too much
    low, high = axes.get_ylim()
    wanted = [(y - low) / (high - low) for *_, y, _ in points]
    places = apart(wanted, gap=NAME / max(height, NAME * len(points)), low=0.0, high=1.0)
    for (name, x, y, colour), place in zip(points, places, strict=True):
        axes.annotate(
            name,
            (x, y),
            xytext=(1.05, place),
            textcoords="axes fraction",
            color=colour,
            size=FONT,
            va="center",
            arrowprops={"arrowstyle": "-", "color": LINE, "shrinkA": 2, "shrinkB": 4, "lw": 0.8},
            zorder=0,
        )


def apart(places: Sequence[float], *, gap: float, low: float, high: float) -> list[float]:
    """Move places on a line until none is nearer to the next than `gap`; their order stays.

    >>> apart([50.0, 52.0, 10.0], gap=10.0, low=0.0, high=60.0)
    [50.0, 60.0, 10.0]
    """
    order = sorted(range(len(places)), key=lambda i: places[i])
    moved = list(places)
    at = low - gap
    for i in order:
        at = moved[i] = max(moved[i], at + gap)
    at = high + gap
    for i in reversed(order):
        at = moved[i] = min(moved[i], at - gap)
    return moved


def say(artist: "Artist", words: str) -> None:
    """Give something drawn the words that a page shows to a reader who points at it."""
    if words:
        artist.set_gid(_SAID + words)


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
    for name, colour in _variables().items():
        svg = svg.replace(colour, f"var(--{name}, {colour})")
    label = escape(figure.get_label())
    return Markup(svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1))


def _variables() -> dict[str, str]:
    """Return the names that pages have for colours."""
    numbered = {f"c{number}": colour for number, colour in enumerate(COLOURS)}
    return {"ink": INK, "pale": PALE, "line": LINE, "ground": GROUND} | numbered
