"""A sheet as a figure. Places are inches from the top left; matplotlib's own objects, no pyplot."""

import textwrap
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lookalike.rendering.figures import INK, LINE, PALE
from lookalike.rendering.overlays import ramp
from lookalike.rendering.sheets import Row, Sheet, Tile

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 170
# Inches.
WIDTH, LEAST_WIDTH = 11.0, 7.0
"""What a sheet of many columns is made to fit, and what the words of a narrow one need."""
LEFT, NARROW = 1.55, 0.95
"""Beside the pictures, where rows have notes and where they have only a name."""
MARGIN, SPACE = 0.2, 0.1
SMALLEST, LARGEST = 0.72, 1.5
"""Side of a picture."""
LINE_HEIGHT = 0.15
LETTER = 0.0085
"""Width of a letter for each point of its size, on average."""
SMALL, BODY, TITLE = 7, 8, 11
"""Points."""


@dataclass(frozen=True, slots=True)
class Page:
    """A figure on which places are inches from the top left.

    Args:
        figure: Where to draw.
        width: Inches.
        height: Inches.
    """

    figure: "Figure"
    width: float
    height: float

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: int = BODY,
        colour: str = PALE,
        weight: str = "normal",
        align: str = "left",
    ) -> None:
        """Write a line whose top is at y."""
        self.figure.text(
            x / self.width,
            1 - y / self.height,
            text,
            size=size,
            color=colour,
            weight=weight,
            ha=align,
            va="top",
            parse_math=False,  # a class may be called "$5"
        )

    def lines(
        self, x: float, y: float, lines: list[str], *, size: int = BODY, align: str = "left"
    ) -> None:
        """Write lines one below the other."""
        for number, text in enumerate(lines):
            self.text(x, y + number * LINE_HEIGHT, text, size=size, align=align)

    def box(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        """Fill a rectangle, its top left corner at (x, y)."""
        from matplotlib.patches import Rectangle

        place = (x / self.width, 1 - (y + height) / self.height)
        size = (width / self.width, height / self.height)
        self.figure.add_artist(Rectangle(place, *size, facecolor=colour, edgecolor="none"))

    def picture(
        self, x: float, y: float, pixels: npt.NDArray[Any], *, width: float, height: float
    ) -> None:
        """Draw pixels with a thin frame, their top left corner at (x, y)."""
        place = (x / self.width, 1 - (y + height) / self.height)
        axes = self.figure.add_axes((*place, width / self.width, height / self.height))
        axes.imshow(pixels, interpolation="antialiased", aspect="auto")
        axes.set_xticks([])
        axes.set_yticks([])
        for spine in axes.spines.values():
            spine.set(edgecolor=LINE, linewidth=0.6)


@dataclass(frozen=True, slots=True)
class Grid:
    """Where a sheet's pictures go.

    Args:
        left: Room for names and notes.
        tile: Side of a picture.
        columns: How many there are.
    """

    left: float
    tile: float
    columns: int

    @property
    def width(self) -> float:
        """Of the whole sheet."""
        return max(self.left + self.columns * (self.tile + SPACE) + MARGIN - SPACE, LEAST_WIDTH)

    def x(self, column: int) -> float:
        """Left edge of a column."""
        return self.left + column * (self.tile + SPACE)


def draw(sheet: Sheet) -> "Figure":
    """Draw a sheet as a figure of matplotlib; it belongs to no window and needs no display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    grid = _grid(sheet)
    room = grid.width - 2 * MARGIN
    note = wrapped(sheet.note, room, size=BODY)
    meanings = [part for text in sheet.meanings for part in wrapped(text, room)]
    head = 0.55 + LINE_HEIGHT * len(note) + (0.25 if sheet.columns else 0)
    heights = [row_height(row, grid) for row in sheet.rows]
    height = head + sum(heights) + 0.45 + LINE_HEIGHT * len(meanings)
    figure = Figure(figsize=(grid.width, height), facecolor="white")
    FigureCanvasAgg(figure)
    page = Page(figure, grid.width, height)
    page.text(MARGIN, 0.17, sheet.title, size=TITLE, colour=INK, weight="bold")
    page.lines(MARGIN, 0.42, note)
    for column, name in enumerate(sheet.columns):
        page.text(grid.x(column) + grid.tile / 2, head - 0.2, name, align="center")
    y = head
    for row, used in zip(sheet.rows, heights, strict=True):
        draw_row(page, grid, row, y)
        y += used
    _scale(page, y + 0.1, sheet.scale)
    page.lines(MARGIN, y + 0.35, meanings, size=SMALL)
    return figure


def write_png(sheet: Sheet, path: Path) -> None:
    """Draw a sheet into a file."""
    with warnings.catch_warnings():
        # A letter of a file's name that no font has is drawn as a box.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        draw(sheet).savefig(path, format="png", dpi=DPI)


def wrapped(text: str, width: float, *, size: int = SMALL, most: int | None = None) -> list[str]:
    """Break a text into lines of a width in inches; what is left after `most` is dropped.

    >>> wrapped("a bookmark, several tabs", 0.72, most=2)
    ['a bookmark,', 'several tabs']
    """
    letters = max(4, int(width / (LETTER * size)))
    return textwrap.wrap(text, letters, max_lines=most, placeholder="…")


def _grid(sheet: Sheet) -> Grid:
    left = LEFT if any(row.notes for row in sheet.rows) else NARROW
    fitting = (WIDTH - left - MARGIN) / sheet.width - SPACE
    return Grid(left, min(max(fitting, SMALLEST), LARGEST), sheet.width)


def row_height(row: Row, grid: Grid) -> float:
    """Return what a row takes from the top of its pictures to the next row, inches."""
    captions = max(
        (bool(shown.number) + len(_words(shown, grid)) for shown in row.tiles if shown), default=0
    )
    beside = 0.2 + LINE_HEIGHT * len(_notes(row, grid))
    return max(grid.tile + LINE_HEIGHT * captions, beside) + 0.13


def _words(shown: Tile, grid: Grid) -> list[str]:
    return wrapped(shown.words, grid.tile + SPACE / 2, most=3)


def _notes(row: Row, grid: Grid) -> list[str]:
    return [part for note in row.notes for part in wrapped(note, grid.left - MARGIN - SPACE)]


def draw_row(page: Page, grid: Grid, row: Row, y: float) -> None:
    """Draw a row with the top of its pictures at y."""
    page.text(MARGIN, y + 0.02, row.name, size=BODY + 1, colour=INK, weight="bold")
    page.lines(MARGIN, y + 0.21, _notes(row, grid), size=SMALL)
    for column, shown in enumerate(row.tiles):
        if shown is not None:
            _tile(page, grid, shown, grid.x(column), y)


def _tile(page: Page, grid: Grid, shown: Tile, x: float, y: float) -> None:
    page.picture(x, y, np.asarray(shown.picture), width=grid.tile, height=grid.tile)
    middle, below = x + grid.tile / 2, y + grid.tile + 0.04
    if shown.number:
        page.text(middle, below, shown.number, colour=INK, align="center")
        below += LINE_HEIGHT
    page.lines(middle, below, _words(shown, grid), size=SMALL, align="center")


def _scale(page: Page, y: float, ends: tuple[str, str]) -> None:
    """Draw the half of the colour scale that values above zero use."""
    start = MARGIN + LETTER * SMALL * len(ends[0]) + 0.09
    page.text(MARGIN, y - 0.01, ends[0], size=SMALL)
    page.picture(start, y, ramp(511)[None, 255:], width=1.8, height=0.1)
    page.text(start + 1.9, y - 0.01, ends[1], size=SMALL)
