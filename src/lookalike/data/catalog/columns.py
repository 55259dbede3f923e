"""What the columns of a table are called, and which of them to read."""

from collections.abc import Sequence

from lookalike.config import Config
from lookalike.data.catalog.messages import listed
from lookalike.errors import CatalogError


class Columns(Config):
    """What the columns of a table are called.

    `path` and `label` are required. The other columns are read if they are there. A column that
    is named here explicitly is required too. None leaves a column out. Other columns are ignored.
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
    """What pictures of a class can share besides the class: a seller, a session, a style."""
    box: str | None = "box"
    """Left, top, right, bottom in one cell, e.g. "10 20 110 220"; pixels, commas allowed."""
    corners: tuple[str, str, str, str] | None = ("x1", "y1", "x2", "y2")
    """The same in four columns: left, top, right, bottom. Use `box` or `corners`, not both."""


STANDARD = Columns()


def columns_to_read(columns: Columns, found: Sequence[str], source: str) -> list[str]:
    """Choose the columns of a file to read.

    Args:
        columns: What the columns are called.
        found: The names of the columns in the file.
        source: The file, for messages.

    Raises:
        CatalogError: A required column is missing or is there twice, or boxes are in two forms.
    """
    required = columns.model_fields_set | {"path", "label"}
    names: list[str] = []
    missing: dict[str, list[str]] = {}
    for field in Columns.model_fields:
        value = getattr(columns, field)
        group = [value] if isinstance(value, str) else list(value or ())
        absent = [name for name in group if name not in found]
        if not absent:
            names += group
        elif field in required or len(absent) < len(group):
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
