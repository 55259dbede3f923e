"""The explanation as a figure: A above B, the whole score first, then group by group.

Only matplotlib's own objects are used, never pyplot: no display, no state shared with the caller.
"""

import textwrap
from typing import TYPE_CHECKING

from lookalike.explanation.account.explanation import Explanation
from lookalike.explanation.account.panels import Panel, panels, scale_of
from lookalike.explanation.account.sentences import sentences
from lookalike.rendering.figures import DPI, INK, PALE, colour_bar, show
from lookalike.rendering.forms import figure_of
from lookalike.rendering.labels import shortened
from lookalike.rendering.numbers import signed
from lookalike.rendering.overlays import overlay, scaled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.gridspec import GridSpec
    from matplotlib.transforms import Bbox

COLUMNS = 7
"""Panels side by side at most, the picture itself included; more groups go on below."""

# Inches.
PANEL, SPACE = 1.5, 0.1
LEFT, RIGHT, MARGIN = 0.62, 0.2, 0.2
HEADER, TITLE, FOOTER = 0.56, 0.42, 0.68
LEAST_WIDTH = 6.0  # what the header needs; where panels are few, they grow
SENTENCE, LETTER = 0.17, 0.066  # height of a line, and width of a letter, of the header's sentences


@figure_of.register(Explanation)
def draw(why: Explanation, *, letters: str = "AB") -> "Figure":
    """Draw an explanation as a figure of matplotlib.

    Args:
        why: The explanation.
        letters: What its two pictures are called beside their rows.
    """
    shown = panels(why)
    limit = scale_of(shown)
    width = _columns(len(shown) + 1)[2]
    told = textwrap.wrap(
        " ".join(sentences(why, letters=letters)), int((width - 2 * MARGIN) / LETTER)
    )
    figure, grid = _layout(why, len(shown) + 1, header=HEADER + SENTENCE * len(told))
    _header(figure, why, told, letters=letters)
    for side in (0, 1):
        _originals(figure, grid, why, side, letter=letters[side])
        for place, panel in enumerate(shown, start=1):
            block, column = divmod(place, grid.ncols)
            axes = figure.add_subplot(grid[_row(block, side), column])
            _map(figure, axes, why, panel, side, limit=limit)
    bar = min(3.0, figure.get_figwidth() / 2)
    colour_bar(figure, limit, why.grids[0], size=(bar, 0.11), bottom=0.42)
    return figure


def _columns(count: int) -> tuple[int, float, float]:
    """Return how many of so many panels go side by side, a panel's width and the figure's."""
    columns = min(count, COLUMNS)
    panel = max(PANEL, (LEAST_WIDTH - LEFT - RIGHT + SPACE) / columns - SPACE)
    return columns, panel, LEFT + columns * (panel + SPACE) - SPACE + RIGHT


def _layout(why: Explanation, count: int, *, header: float) -> tuple["Figure", "GridSpec"]:
    """Lay out so many panels in blocks of three rows: titles, A, B."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns, panel, width = _columns(count)
    rows = [TITLE, *(panel * _shape(why, side) for side in (0, 1))] * -(-count // columns)
    height = header + sum(rows) + SPACE * (len(rows) - 1) + FOOTER
    figure = Figure(figsize=(width, height), facecolor="white")
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(
        len(rows),
        columns,
        height_ratios=rows,
        left=LEFT / width,
        right=1 - RIGHT / width,
        top=1 - header / height,
        bottom=FOOTER / height,
        wspace=SPACE / panel,
        hspace=SPACE / (sum(rows) / len(rows)),
    )
    return figure, grid


def _shape(why: Explanation, side: int) -> float:
    """Return a row's height over its width; very long pictures leave a margin instead."""
    geometry = why.pictures[side].geometry
    return min(max(geometry.height / geometry.width, 0.4), 1.6)


def _row(block: int, side: int) -> int:
    return 3 * block + 1 + side


def _header(figure: "Figure", why: Explanation, told: list[str], *, letters: str) -> None:
    width, height = figure.get_size_inches()
    x = MARGIN / width
    title = f"Why are {letters[0]} and {letters[1]} alike? Similarity {why.score:.3f}"
    note = f"parts add up to the score within {why.gap:.0e}"
    if why.together:
        title += ", where 0 is the most"
        note = f"each number is the sum of its two maps; {note}"
    if why.meaning is not None:
        note = f"{why.meaning}; {note}"
    title, note = (text.replace("-", "−") for text in (title, note))
    figure.text(x, 1 - 0.28 / height, title, size=11, weight="bold", color=INK)
    figure.text(x, 1 - 0.48 / height, note, size=8, color=PALE)
    for line, text in enumerate(told, start=1):
        y = 1 - (0.48 + SENTENCE * line) / height
        figure.text(x, y, text, size=8, color=INK, parse_math=False)


def _originals(
    figure: "Figure", grid: "GridSpec", why: Explanation, side: int, *, letter: str
) -> None:
    """Show the picture itself at the top left, and say beside each row whose it is."""
    shown = why.pictures[side]
    width, height = figure.get_size_inches()
    place = grid[_row(0, side), 0].get_position(figure)
    show(figure.add_subplot(grid[_row(0, side), 0]), scaled(shown.picture, _pixels(place, figure)))
    for block in range(grid.nrows // 3):
        row = grid[_row(block, side), 0].get_position(figure)
        middle = (row.y0 + row.y1) / 2
        figure.text(MARGIN / width, middle, letter, size=11, weight="bold", color=INK, va="center")
        letters = int(row.height * height / 0.06)
        figure.text(
            (LEFT - 0.08) / width,
            middle,
            shortened(shown.label, letters),
            size=7,
            color=PALE,
            ha="right",
            va="center",
            rotation=90,
            parse_math=False,  # a file may be called "$5.jpg"
        )


def _map(
    figure: "Figure", axes: "Axes", why: Explanation, panel: Panel, side: int, *, limit: float
) -> None:
    shown = why.pictures[side]
    pixels = _pixels(axes.get_position(), figure)
    show(axes, overlay(shown.picture, panel.maps[side], shown.geometry, limit=limit, side=pixels))
    if side == 0:
        axes.set_title(panel.name, size=8, color=PALE, pad=17, parse_math=False)
        axes.annotate(
            signed(panel.value),
            (0.5, 1),
            xytext=(0, 5),
            xycoords="axes fraction",
            textcoords="offset points",
            size=10,
            color=INK,
            ha="center",
        )


def _pixels(place: "Bbox", figure: "Figure") -> int:
    """Return the longer side that a panel has in the file."""
    width, height = figure.get_size_inches()
    return round(float(max(place.width * width, place.height * height)) * DPI)
