"""One picture as a reader of folders, tables or lists found it, before a catalog holds it."""

from typing import NamedTuple

Box = tuple[float, float, float, float]
"""Left, top, right, bottom, in pixels."""
Point = tuple[float, float]


class Entry(NamedTuple):
    """One picture and what is known about it; the fields are explained in `Catalog`.

    Args:
        path: As written, absolute or relative to the catalog's root.
        label: Name of its class.
        keypoints: NaN for a point that is not visible or not known; empty if none is known.
    """

    path: str
    label: str
    row: int
    split: str | None = None
    role: str | None = None
    group: str | None = None
    box: Box | None = None
    keypoints: tuple[Point, ...] = ()
