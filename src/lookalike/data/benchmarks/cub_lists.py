"""Reading the text files of CUB-200-2011: each line begins with an id.

A file that cannot be read and a line that is bad are a `CatalogError` with the file and the line.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lookalike.data.benchmarks.text_lists import lines_of
from lookalike.data.catalog.entries import Box, Point
from lookalike.errors import CatalogError

HIDDEN = (float("nan"), float("nan"))  # a point that is not visible or that no line gives


@dataclass(frozen=True, slots=True)
class IdTable:
    """What a list says about each id.

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
        """Return an id's whole number."""
        text = self[key]
        if not text.isdecimal():
            raise CatalogError(f"{self.path}: id {key}: expected a whole number, found {text!r}")
        return int(text)


def read_rows(path: Path) -> Iterator[tuple[int, str, str]]:
    """Give number, id and rest of each line that is not blank."""
    for number, line in lines_of(path):
        key, _, rest = line.partition(" ")
        if not rest:
            raise CatalogError(f"{path}: line {number}: expected an id and more, found {line!r}")
        yield number, key, rest.lstrip()


def read_ids(path: Path) -> IdTable:
    """Read a list that has one line for each id; an id that is there twice is an error."""
    values: dict[str, str] = {}
    for number, key, rest in read_rows(path):
        if key in values:
            raise CatalogError(f"{path}: line {number}: id {key} is there twice")
        values[key] = rest
    return IdTable(path, values)


def read_boxes(path: Path) -> dict[str, Box]:
    """Read the boxes by image ids: "id x y width height" becomes left, top, right, bottom."""
    boxes: dict[str, Box] = {}
    for line, image, rest in read_rows(path):
        left, top, width, height = _numbers(path, line, rest.split(), 4)
        boxes[image] = (left, top, left + width, top + height)
    return boxes


def read_keypoints(folder: Path) -> tuple[tuple[str, ...], dict[str, tuple[Point, ...]]]:
    """Read the names of the birds' parts, and their places by image ids.

    Args:
        folder: Holds `parts.txt` ("id name", a name may have blanks) and `part_locs.txt`
            ("image_id part_id x y visible").
    """
    names = read_ids(folder / "parts.txt").values
    places = {key: place for place, key in enumerate(names)}
    path = folder / "part_locs.txt"
    points: dict[str, list[Point]] = {}
    for line, image, rest in read_rows(path):
        key, *fields = rest.split()
        x, y, visible = _numbers(path, line, fields, 3)
        if key not in places:
            raise CatalogError(f"{path}: line {line}: no part has the id {key} in parts.txt")
        own = points.setdefault(image, [HIDDEN] * len(names))
        if visible:
            own[places[key]] = (x, y)
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
