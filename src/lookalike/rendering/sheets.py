"""A sheet: pictures in rows with words around them, as a value to be drawn or put on a page."""

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

MOST_BARS = 8
"""Bars that a sheet shows; the rest are added up in the last."""


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """One picture of a sheet.

    Args:
        picture: Of any shape; mostly square.
        number: Beneath it, in black; may be empty.
        words: Beneath the number, in grey; may be empty.
    """

    picture: Image.Image
    number: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """What stands above a column of pictures.

    Args:
        name: In grey.
        number: Beneath the name, in black; may be empty.
    """

    name: str
    number: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class SheetRow:
    """One row of a sheet.

    Args:
        name: Beside it, in bold.
        tiles: None leaves a place empty.
        notes: Beside it, beneath the name, a line each.
        heading: Above the row and its columns' names, in bold; may be empty.
        columns: What stands above its pictures, and is true of the rows below as well; may be
            empty.
    """

    name: str
    tiles: tuple[Tile | None, ...]
    notes: tuple[str, ...] = ()
    heading: str = ""
    columns: tuple[SheetColumn, ...] = ()


@dataclass(frozen=True, slots=True)
class ColourScale:
    """The colours of the maps on a sheet.

    Args:
        low: What the first end means.
        high: What the other end means.
        signed: Whether it goes from blue to red; otherwise only from white to red.
    """

    low: str
    high: str
    signed: bool = True


@dataclass(frozen=True, slots=True)
class SheetBar:
    """One bar of a sheet.

    Args:
        name: Beside it.
        value: Its length; a bar below zero is blue and goes to the left.
    """

    name: str
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Pictures in rows, with what is needed to read them.

    Args:
        title: What it shows, or the question that it answers.
        rows: From the top down.
        scale: The colours of the maps.
        sentences: The answer, beneath the title; the first one in bold.
        note: How it was made, beneath these.
        bars: Beneath the pictures; may be empty.
        measured: What the bars' values are.
        notes: Small print, a paragraph each.
    """

    title: str
    rows: tuple[SheetRow, ...]
    scale: ColourScale
    sentences: tuple[str, ...] = ()
    note: str = ""
    bars: tuple[SheetBar, ...] = ()
    measured: str = ""
    notes: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """The number of columns."""
        return max((len(row.tiles) for row in self.rows), default=1)

    @property
    def has_names(self) -> bool:
        """Whether something stands beside the rows."""
        return any(row.name or row.notes for row in self.rows)


def strongest_bars(bars: Sequence[SheetBar]) -> tuple[SheetBar, ...]:
    """Return the bars in their order; of many only the strongest, and the sum of the others.

    >>> strongest_bars([SheetBar(f"group {g}", -g / 10) for g in range(10)])[-1]
    SheetBar(name='3 others', value=-0.3)
    """
    if len(bars) <= MOST_BARS:
        return tuple(bars)
    order = sorted(bars, key=lambda bar: -abs(bar.value))
    rest = order[MOST_BARS - 1 :]
    together = SheetBar(f"{len(rest)} others", round(sum(bar.value for bar in rest), 12))
    return (*order[: MOST_BARS - 1], together)


@dataclass(frozen=True, slots=True)
class BarPlace:
    """Where a bar is drawn on a page.

    Args:
        start: Percent of the chart's width.
        length: Likewise.
    """

    start: float
    length: float


def bar_places(values: Sequence[float]) -> list[BarPlace]:
    """Lay out bars, zero at the same place in every row.

    >>> bar_places([0.75, -0.25])
    [BarPlace(start=25.0, length=75.0), BarPlace(start=0.0, length=25.0)]
    """
    low, high = min((0.0, *values)), max((0.0, *values))
    unit = 100 / ((high - low) or 1.0)
    return [BarPlace((min(value, 0) - low) * unit, abs(value) * unit) for value in values]
