"""A sheet as a figure of matplotlib: bands from the top down, laid out by grids with ratios."""

import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lookalike.rendering.figures import INK, LINE, PALE, new_figure, show
from lookalike.rendering.numbers import signed
from lookalike.rendering.overlays import ramp
from lookalike.rendering.sheets import (
    ColourScale,
    Sheet,
    SheetBar,
    SheetColumn,
    SheetRow,
    Tile,
    strongest_bars,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.gridspec import SubplotSpec

# Inches.
MARGIN, SPACE = 0.2, 0.1
WIDTH, LEAST_WIDTH = 11.0, 7.4
"""What a sheet of many columns is made to fit, and what the words of a narrow one need."""
NAMES = 1.25
"""Width of the names beside rows."""
SMALLEST, LARGEST = 0.72, 1.75
"""Width of a picture."""
TALLEST = 1.6
"""Height of a picture's place over its width, at most."""
SCALE, BAR, BAR_HEIGHT = 1.8, 3.2, 0.2
"""Lengths of the colour scale and of the longest bar, and a bar's height with its space."""

SMALL, BODY, ANSWER, TITLE = 7, 8, 10, 14
"""Sizes of letters, points."""
PITCH = 1.45 / 72
"""From a line to the next, inches for each point of a letter's size."""
LETTER = 0.0077
"""Width of a letter, inches for each point of its size, on average."""
COLOURS = ("#2b6cb0", "#c0392b")
"""Of a bar below zero, and of one above."""


@dataclass(frozen=True, slots=True)
class Band:
    """A strip across a figure.

    Args:
        height: Inches.
        draw: Draws it into its place.
    """

    height: float
    draw: Callable[["Figure", "SubplotSpec"], None]


@dataclass(frozen=True, slots=True)
class SheetWidths:
    """How a sheet is divided from left to right.

    Args:
        names: Width of what stands beside the rows, inches.
        tile: Width of a picture, inches.
        count: How many pictures stand side by side.
    """

    names: float
    tile: float
    count: int

    @staticmethod
    def of(sheet: Sheet) -> "SheetWidths":
        """Fit the columns of a sheet into its width."""
        names = NAMES if sheet.has_names else 0.0
        fitting = (WIDTH - 2 * MARGIN - names) / sheet.width - SPACE
        return SheetWidths(names, min(max(fitting, SMALLEST), LARGEST), sheet.width)

    @property
    def width(self) -> float:
        """Of all that is between the margins, inches."""
        used = self.names + self.count * (self.tile + SPACE) - SPACE
        return max(used, LEAST_WIDTH - 2 * MARGIN)

    @property
    def ratios(self) -> list[float]:
        """Widths of a grid: the names, then each picture and the space to its right."""
        used = self.names + self.count * (self.tile + SPACE)
        return [self.names, *(self.tile, SPACE) * self.count, max(self.width - used, 0.0)]


def draw_sheet(sheet: Sheet) -> "Figure":
    """Draw a sheet; the figure belongs to no window and needs no display."""
    columns = SheetWidths.of(sheet)
    rows = [band for row in sheet.rows for band in row_bands(row, columns)]
    bands = [*head_bands(sheet, columns.width), *rows, *foot_bands(sheet, columns.width)]
    return draw_bands(bands, columns.width)


def draw_bands(bands: Sequence[Band], width: float) -> "Figure":
    """Draw bands below each other.

    Args:
        bands: From the top down.
        width: Between the margins, inches.
    """
    whole, height = width + 2 * MARGIN, sum(band.height for band in bands) + 2 * MARGIN
    figure = new_figure(whole, height)
    grid = figure.add_gridspec(
        len(bands),
        1,
        height_ratios=[band.height for band in bands],
        hspace=0,
        left=MARGIN / whole,
        right=1 - MARGIN / whole,
        top=1 - MARGIN / height,
        bottom=MARGIN / height,
    )
    for place, band in enumerate(bands):
        band.draw(figure, grid[place, 0])
    return figure


def text_band(
    text: str,
    width: float,
    *,
    size: int = BODY,
    colour: str = PALE,
    weight: str = "normal",
    above: float = 0.0,
    below: float = 0.0,
) -> Band:
    """Return a paragraph.

    Args:
        text: Broken into lines where it is too long.
        width: Of its longest line, inches.
        size: Of its letters, points.
        colour: Of its letters.
        weight: Likewise.
        above: Empty space, inches.
        below: Likewise.
    """
    lines = wrapped(text, width, size=size)

    def draw(figure: "Figure", place: "SubplotSpec") -> None:
        write(figure, place, lines, down=above, size=size, colour=colour, weight=weight)

    return Band(above + len(lines) * size * PITCH + below, draw)


def write(
    figure: "Figure",
    place: "SubplotSpec",
    lines: Sequence[str],
    *,
    size: int = BODY,
    colour: str = PALE,
    weight: str = "normal",
    centred: bool = False,
    down: float = 0.0,
) -> None:
    """Write lines into a place of a grid, from its top.

    Args:
        figure: Where.
        place: A cell of the grid.
        lines: One below the other.
        size: Of the letters, points.
        colour: Likewise.
        weight: Likewise.
        centred: In the middle of the place; otherwise at its left.
        down: Where they begin, inches below the top of the place.
    """
    box = place.get_position(figure)
    for number, line in enumerate(lines):
        figure.text(
            (box.x0 + box.x1) / 2 if centred else box.x0,
            box.y1 - (down + number * size * PITCH) / figure.get_figheight(),
            line,
            size=size,
            color=colour,
            weight=weight,
            ha="center" if centred else "left",
            va="top",
            parse_math=False,  # a class may be called "$5"
        )


def wrapped(text: str, width: float, *, size: int = SMALL, most: int | None = None) -> list[str]:
    """Break each line of a text into lines of a width in inches.

    Args:
        text: May have several lines.
        width: Inches.
        size: Of the letters, points.
        most: Of what each line is broken into, the rest is dropped.

    >>> wrapped("a bookmark, several tabs", 0.72, most=2)
    ['a bookmark,', 'several tabs']
    """
    letters = max(4, int(width / (LETTER * size)))
    return [
        line
        for whole in text.splitlines()
        for line in textwrap.wrap(whole, letters, max_lines=most, placeholder="…")
    ]


def head_bands(sheet: Sheet, width: float) -> Iterator[Band]:
    """Return what stands above the pictures: title, sentences, note."""
    yield text_band(sheet.title, width, size=TITLE, colour=INK, weight="bold", below=0.06)
    for number, sentence in enumerate(sheet.sentences):
        weight = "normal" if number else "bold"
        yield text_band(sentence, width, size=ANSWER, colour=INK, weight=weight)
    if sheet.note:
        yield text_band(sheet.note, width, above=0.04)
    yield _empty(0.15)


def foot_bands(sheet: Sheet, width: float) -> Iterator[Band]:
    """Return what stands below the pictures: colour scale, bars, notes."""
    yield _scale(sheet.scale)
    if sheet.bars:
        yield from _bars(strongest_bars(sheet.bars), sheet.measured)
    for note in sheet.notes:
        yield text_band(note, width, size=SMALL)


def _empty(height: float) -> Band:
    return Band(height, lambda figure, place: None)


def row_bands(row: SheetRow, columns: SheetWidths) -> Iterator[Band]:
    """Return a row of pictures with what stands above it."""
    if row.heading:
        yield text_band(
            row.heading, columns.width, size=BODY + 1, colour=INK, weight="bold", above=0.1
        )
    if row.columns:
        yield _column_names(row.columns, columns)
    yield _pictures(row, columns)


def _column_names(names: Sequence[SheetColumn], columns: SheetWidths) -> Band:
    written = [wrapped(column.name, columns.tile + SPACE / 2, most=2) for column in names]
    lines = max(map(len, written))
    numbers = any(column.number for column in names)

    def draw(figure: "Figure", place: "SubplotSpec") -> None:
        grid = place.subgridspec(1, len(columns.ratios), width_ratios=columns.ratios, wspace=0)
        for number, (column, text) in enumerate(zip(names, written, strict=True)):
            above, free = grid[0, 1 + 2 * number], (lines - len(text)) * SMALL * PITCH
            write(figure, above, text, size=SMALL, centred=True, down=free)
            down = lines * SMALL * PITCH
            write(figure, above, [column.number], colour=INK, centred=True, down=down)

    height = lines * SMALL * PITCH + (BODY * PITCH if numbers else 0.0) + 0.05
    return Band(height, draw)


def _pictures(row: SheetRow, columns: SheetWidths) -> Band:
    """Return the pictures of a row with what stands beneath and beside them."""
    tiles = [tile for tile in row.tiles if tile is not None]
    shape = max((tile.picture.height / tile.picture.width for tile in tiles), default=1.0)
    high = columns.tile * min(shape, TALLEST)
    room = columns.names - SPACE
    name = wrapped(row.name, room, size=BODY + 1)
    notes = [line for note in row.notes for line in wrapped(note, room)]
    beside = len(name) * (BODY + 1) * PITCH + len(notes) * SMALL * PITCH
    captions = max((_caption_height(tile, columns) for tile in tiles), default=0.0)
    beneath = max(captions, beside - high) + 0.13

    def draw(figure: "Figure", place: "SubplotSpec") -> None:
        grid = place.subgridspec(
            2,
            len(columns.ratios),
            width_ratios=columns.ratios,
            height_ratios=[high, beneath],
            wspace=0,
            hspace=0,
        )
        write(figure, grid[0, 0], name, size=BODY + 1, colour=INK, weight="bold")
        down = len(name) * (BODY + 1) * PITCH
        write(figure, grid[0, 0], notes, size=SMALL, down=down)
        for number, tile in enumerate(row.tiles):
            if tile is not None:
                column = 1 + 2 * number
                axes = figure.add_subplot(grid[0, column], anchor="N")
                show(axes, tile.picture)
                _caption(figure, grid[1, column], tile, columns)

    return Band(high + beneath, draw)


def _words(tile: Tile, columns: SheetWidths) -> list[str]:
    return wrapped(tile.words, columns.tile + SPACE / 2, most=3)


def _caption_height(tile: Tile, columns: SheetWidths) -> float:
    number = BODY * PITCH if tile.number else 0.0
    return number + len(_words(tile, columns)) * SMALL * PITCH + 0.04


def _caption(figure: "Figure", place: "SubplotSpec", tile: Tile, columns: SheetWidths) -> None:
    down = 0.04
    if tile.number:
        write(figure, place, [tile.number], colour=INK, centred=True, down=down)
        down += BODY * PITCH
    write(figure, place, _words(tile, columns), size=SMALL, centred=True, down=down)


def _scale(scale: ColourScale) -> Band:
    """Return the colour scale, the meaning of its ends beside it."""
    words = LETTER * SMALL * len(scale.low) + SPACE
    colours = ramp(511)[None] if scale.signed else ramp(511)[None, 255:]

    def draw(figure: "Figure", place: "SubplotSpec") -> None:
        width = place.get_position(figure).width * figure.get_figwidth()
        ratios = [words, SCALE, SPACE, max(width - words - SCALE - SPACE, 0.1)]
        grid = place.subgridspec(
            3, 4, width_ratios=ratios, height_ratios=[0.1, 0.1, 0.15], wspace=0, hspace=0
        )
        write(figure, grid[1, 0], [scale.low], size=SMALL)
        axes = figure.add_subplot(grid[1, 1])
        show(axes, colours)
        axes.set_aspect("auto")
        write(figure, grid[1, 3], [scale.high], size=SMALL)

    return Band(0.35, draw)


def _bars(bars: Sequence[SheetBar], measured: str) -> Iterator[Band]:
    """Return a bar for each group on either side of a line at zero."""
    yield text_band(measured, WIDTH, colour=INK, weight="bold", above=0.05, below=0.06)
    names = LETTER * BODY * max(len(bar.name) for bar in bars) + SPACE

    def draw(figure: "Figure", place: "SubplotSpec") -> None:
        width = place.get_position(figure).width * figure.get_figwidth()
        ratios = [names, BAR, max(width - names - BAR, 0.1)]
        grid = place.subgridspec(1, 3, width_ratios=ratios, wspace=0)
        axes = figure.add_subplot(grid[0, 1])
        values = [bar.value for bar in bars]
        colours = [COLOURS[value >= 0] for value in values]
        places = range(len(bars))
        axes.barh(places, values, height=0.65, color=colours)
        axes.axvline(0, color=LINE, linewidth=0.8)
        axes.set(ylim=(len(bars) - 0.5, -0.5), xlim=(min(0, *values), max(1e-12, *values)))
        axes.set_xticks([])
        axes.set_yticks(places, [bar.name for bar in bars], size=BODY, color=PALE)
        axes.tick_params(axis="y", length=0, pad=names * 72)
        for label in axes.get_yticklabels():
            label.set(horizontalalignment="left", parse_math=False)
        axes.spines[:].set_visible(False)
        for number, value in enumerate(values):
            at = axes.get_yaxis_transform()
            axes.text(1.05, number, signed(value), size=BODY, color=INK, va="center", transform=at)

    yield Band(BAR_HEIGHT * len(bars), draw)
    yield _empty(0.15)
