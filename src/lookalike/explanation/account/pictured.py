"""A picture of a pair as an explanation keeps it: as large as it is drawn, and under its name."""

from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from lookalike.data import Picture, decode, size_of
from lookalike.preprocessing import Geometry, Preprocessing
from lookalike.rendering.labels import printable, shortened

SHOWN_SIDE = 640
"""Longer side of the pictures that an explanation carries for drawing, pixels at most."""


@dataclass(frozen=True, slots=True)
class Pictured:
    """One picture of a pair, for drawing.

    Args:
        picture: Upright RGB, made smaller where the original is large.
        geometry: Where the network looked, in the original's pixels.
        name: The path as it was given, or "picture A" and "picture B" for pictures in memory.
    """

    picture: Image.Image
    geometry: Geometry
    name: str

    @property
    def label(self) -> str:
        """The name's last two steps, on one line and of at most 40 characters.

        >>> seen = Geometry(1, 1, (0.0, 0.0, 1.0, 1.0))
        >>> Pictured(Image.new("RGB", (1, 1)), seen, "/data/birds/finch/007.jpg").label
        'finch/007.jpg'
        """
        text = " ".join("/".join(Path(self.name).parts[-2:]).replace("//", "/").split())
        return shortened(text, 40)

    def seen(self, side: int) -> Image.Image:
        """Return what the network saw, as a square of so many pixels; white where it padded."""
        scale = self.picture.width / self.geometry.width
        left, top, right, bottom = (round(edge * scale) for edge in self.geometry.box)
        square = Image.new("RGB", (max(1, right - left), max(1, bottom - top)), "white")
        square.paste(self.picture, (-left, -top))
        return square.resize((side, side), Image.Resampling.LANCZOS)


def pictured(
    source: Picture, read: Image.Image, preprocessing: Preprocessing, *, side: str
) -> Pictured:
    """Return one picture of a pair for drawing.

    Args:
        source: The picture as it was given.
        read: Decoded for the network; a picture decoded too small for drawing is read again.
        preprocessing: Of the network.
        side: What a picture in memory is called, e.g. "A".
    """
    size = size_of(source)
    if max(read.size) < min(SHOWN_SIDE, max(size)):
        read = decode(source, background=preprocessing.background, draft_side=SHOWN_SIDE)
    copy = read.copy()
    copy.thumbnail((SHOWN_SIDE, SHOWN_SIDE))
    return Pictured(copy, preprocessing.geometry(*size), name_of(source, side))


def name_of(picture: Picture, side: str) -> str:
    """Return what a picture is called: its path, or its side of the pair."""
    if not isinstance(picture, str | Path):
        return f"picture {side}"
    return printable(str(picture))
