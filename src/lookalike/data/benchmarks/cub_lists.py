"""Reading the text files of CUB-200-2011: lines that begin with an id."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lookalike.data.benchmarks.lists import lines_of
from lookalike.data.catalog.entries import Box, Point
from lookalike.errors import CatalogError

HIDDEN = (float("nan"), float("nan"))  # where a part is not visible, or no line tells


@dataclass(frozen=True, slots=True)
class Column:
    """What stands behind each id of a list.

    Args:
        path: The list.
        values: The rest of its lines by their ids.
    """

    path: Path
    values: dict[str, str]

    def __getitem__(self, key: str) -> str:
        if key not in self.values:
            raise CatalogError(
                f"{self.path}: no line for id {key}, which another list names; unpack the "
                f"archive again"
            )
        return self.values[key]

    def number(self, key: str) -> int:
        """Return the whole number that stands behind an id."""
        text = self[key]
        if not text.isdecimal():
            raise CatalogError(f"{self.path}: id {key}: expected a whole number, found {text!r}")
        return int(text)


def read_rows(path: Path) -> Iterator[tuple[int, str, str]]:
    """Give number, id and rest of each line that is not blank.

    Raises:
        CatalogError: The file cannot be read, or a line has nothing behind its id.
    """
    for number, line in lines_of(path):
        key, _, rest = line.partition(" ")
        if not rest:
            raise CatalogError(f"{path}: line {number}: expected an id and more, found {line!r}")
        yield number, key, rest.lstrip()


def read_column(path: Path) -> Column:
    """Read a list in which each id has one line.

    Raises:
        CatalogError: The file cannot be read, or an id stands there twice.
    """
    values: dict[str, str] = {}
    for number, key, rest in read_rows(path):
        if key in values:
            raise CatalogError(f"{path}: line {number}: id {key} stands there twice")
        values[key] = rest
    return Column(path, values)


def read_boxes(path: Path) -> dict[str, Box]:
    """Read the boxes by image ids: "id x y width height" becomes left, top, right, bottom.

    Raises:
        CatalogError: The file cannot be read, or a line has other than four numbers.
    """
    boxes: dict[str, Box] = {}
    for line, image, rest in read_rows(path):
        left, top, width, height = _numbers(path, line, rest.split(), 4)
        boxes[image] = (left, top, left + width, top + height)
    return boxes


def read_parts(folder: Path) -> tuple[tuple[str, ...], dict[str, tuple[Point, ...]]]:
    """Read the names of the parts, and where they are by image ids.

    Args:
        folder: Holds `parts.txt` ("id name", a name may have blanks) and `part_locs.txt`
            ("image_id part_id x y visible").

    Raises:
        CatalogError: A file cannot be read, or a line does not belong there.
    """
    names = read_column(folder / "parts.txt").values
    places = {part: place for place, part in enumerate(names)}
    path = folder / "part_locs.txt"
    points: dict[str, list[Point]] = {}
    for line, image, rest in read_rows(path):
        part, *fields = rest.split()
        x, y, visible = _numbers(path, line, fields, 3)
        if part not in places:
            raise CatalogError(f"{path}: line {line}: no part has the id {part} in parts.txt")
        own = points.setdefault(image, [HIDDEN] * len(names))
        if visible:
            own[places[part]] = (x, y)
    return tuple(names.values()), {image: tuple(own) for image, own in points.items()}


def _numbers(path: Path, line: int, fields: Sequence[str], count: int) -> list[float]:
    try:
        numbers = [float(field) for field in fields]
    except ValueError:
        numbers = []
    if len(numbers) != count:
        raise CatalogError(
            f"{path}: line {line}: expected {count} numbers, found {' '.join(fields)!r}"
        )
    return numbers
