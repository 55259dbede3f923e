"""What the columns of a table are called, and its cells before anybody asked what they mean."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lookalike.config import Config
from lookalike.data.catalog.entries import Problem, listed
from lookalike.errors import CatalogError


class Columns(Config):
    """What the columns of a table are called.

    `path` and `label` must be there. The others are read if they are there; one that is named
    here explicitly must be there, too. None leaves a column out. Other columns are ignored.
    """

    path: str = "path"
    """The picture, absolute or relative to the catalog's root."""
    label: str = "label"
    """Its class, any text or integer."""
    split: str | None = "split"
    """E.g. train, val, test."""
    role: str | None = "role"
    """query or gallery."""
    group: str | None = "group"
    """What pictures of a class can share beside it: a seller, a session, a style."""
    box: str | None = "box"
    """Left, top, right, bottom in one cell, e.g. "10 20 110 220"; pixels, commas allowed."""
    corners: tuple[str, str, str, str] | None = ("x1", "y1", "x2", "y2")
    """The same in four columns: left, top, right, bottom. Use either, not both."""


STANDARD = Columns()


@dataclass(frozen=True, slots=True)
class Table:
    """A file's cells as text, before anybody asked what they mean.

    Args:
        source: The file.
        word: What its rows are called in messages: "line" or "row".
        rows: Where each row stands in the file.
        cells: Text of the columns that were found and asked for, by their names in the file.
        problems: Rows that could not be taken apart; they are left out of `rows` and `cells`.
    """

    source: str
    word: str
    rows: Sequence[int]
    cells: Mapping[str, Sequence[str]]
    problems: tuple[Problem, ...] = ()


def wanted(columns: Columns, found: Sequence[str], source: str) -> list[str]:
    """Return the columns of a file that are to be read.

    Raises:
        CatalogError: One that must be there is not, is there twice, or boxes are in two forms.
    """
    asked = columns.model_fields_set | {"path", "label"}
    names: list[str] = []
    missing: dict[str, list[str]] = {}
    for field in Columns.model_fields:
        value = getattr(columns, field)
        group = [value] if isinstance(value, str) else list(value or ())
        absent = [name for name in group if name not in found]
        if not absent:
            names += group
        elif field in asked or len(absent) < len(group):
            missing[field] = absent
    if missing:
        lacking = [name for absent in missing.values() for name in absent]
        settings = ", ".join(f"{field}=..." for field in missing)
        raise CatalogError(
            f"{source}: no column {listed(lacking)}; it has: {listed(found)}. Rename columns in "
            f"the file, or say what they are called with Columns({settings})"
        )
    twice = sorted({name for name in names if found.count(name) > 1})
    if twice:
        raise CatalogError(f"{source}: column {listed(twice)} is there more than once; rename one")
    if columns.box in names and columns.corners and columns.corners[0] in names:
        raise CatalogError(
            f"{source}: boxes are there twice, in column {columns.box} and in columns "
            f"{listed(columns.corners)}; leave one out with Columns(box=None) or (corners=None)"
        )
    return list(dict.fromkeys(names))
