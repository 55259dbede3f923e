"""A sheet of pictures in rows, as a value: drawn as a figure, or put on a page."""

from dataclasses import dataclass

from PIL import Image


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """One picture of a sheet.

    Args:
        picture: Square.
        number: Beneath it, in black; may be empty.
        words: Beneath the number, in grey; may be empty.
    """

    picture: Image.Image
    number: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One row of a sheet.

    Args:
        name: Beside it, in bold.
        tiles: None leaves a place empty.
        notes: Beside it, beneath the name, a line each.
    """

    name: str
    tiles: tuple[Tile | None, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Pictures in rows, with what is needed to read them.

    Args:
        title: What it shows, in one line.
        note: How it was made, beneath the title.
        rows: From the top down.
        meanings: What the maps' values are, beneath the colour scale.
        columns: Above the columns; may be empty.
        scale: What the ends of the colour scale are.
    """

    title: str
    note: str
    rows: tuple[Row, ...]
    meanings: tuple[str, ...]
    columns: tuple[str, ...] = ()
    scale: tuple[str, str] = ("0", "the map's peak")

    @property
    def width(self) -> int:
        """The number of columns."""
        return max(len(row.tiles) for row in self.rows)
