"""A picture as it goes into an account: as large as it is drawn, and under its name."""

from pathlib import Path

from PIL import Image

from lookalike.data import Picture, decode, size_of
from lookalike.explanation.account.explanation import Pictured
from lookalike.explanation.groups.subject import printable
from lookalike.preprocessing import Preprocessing

SHOWN_SIDE = 640
"""Longer side of the pictures that an explanation carries for drawing, pixels at most."""


def shown(source: Picture, read: Image.Image, preprocessing: Preprocessing) -> Image.Image:
    """Return the picture for drawing; one that was decoded too small for that is read again."""
    if max(read.size) < min(SHOWN_SIDE, max(size_of(source))):
        read = decode(source, background=preprocessing.background, draft_side=SHOWN_SIDE)
    copy = read.copy()
    copy.thumbnail((SHOWN_SIDE, SHOWN_SIDE))
    return copy


def name_of(picture: Picture, side: str) -> str:
    """Return what a picture is called: its path, or its side of the pair."""
    if not isinstance(picture, str | Path):
        return f"picture {side}"
    return printable(str(picture))


def pictured(
    source: Picture, read: Image.Image, preprocessing: Preprocessing, *, side: str
) -> Pictured:
    """Return one picture of a pair for drawing."""
    return Pictured(
        shown(source, read, preprocessing),
        preprocessing.geometry(*size_of(source)),
        name_of(source, side),
    )
