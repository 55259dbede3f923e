"""One picture as a reader of folders, tables or lists found it, before a catalog holds it."""

from typing import NamedTuple

Box = tuple[float, float, float, float]
"""Left, top, right, bottom, in pixels."""
Point = tuple[float, float]


class Entry(NamedTuple):
    """One picture and what is known about it.

    Args:
        path: As written, absolute or relative to the catalog's root.
        label: Name of its class.
        row: Where it is in its source: a line of a CSV file, a row of a Parquet file.
        split: For example "train" or "test".
        role: "query" or "gallery".
        group: What pictures of one class can share besides the class: a seller, a session.
        box: The object to look at, in pixels of the upright picture.
        keypoints: x and y of named points, in pixels of the upright picture. NaN for a point that
            is not visible or not known. Empty if no point is known.
    """

    path: str
    label: str
    row: int
    split: str | None = None
    role: str | None = None
    group: str | None = None
    box: Box | None = None
    keypoints: tuple[Point, ...] = ()
