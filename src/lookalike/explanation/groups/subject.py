"""Pictures to look at: as the network sees them, with a map over them."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from lookalike.data import Box, Catalog, cut, decode
from lookalike.explanation.groups.peaks import peak_cell
from lookalike.preprocessing import Preprocessing
from lookalike.rendering.labels import printable, shortened
from lookalike.rendering.overlays import Array, all_of, overlay

SIDE = 240
"""Of a picture in a figure, pixels."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A picture to look at with one model or several.

    Args:
        path: Where it is.
        box: The part that counts, for models that use boxes.
    """

    path: Path
    box: Box | None = None

    @property
    def label(self) -> str:
        """The path's last two steps, of at most 60 characters.

        >>> Subject(Path("/data/birds/finch/007.jpg")).label
        'finch/007.jpg'
        """
        return shortened(printable("/".join(self.path.parts[-2:])), 60)

    @staticmethod
    def of(catalog: Catalog, row: int) -> "Subject":
        """Return a picture of a catalog."""
        left, top, right, bottom = catalog.boxes[row].tolist()
        box = None if np.isnan(catalog.boxes[row]).any() else (left, top, right, bottom)
        return Subject(catalog.path(row), box)

    def read(self, preprocessing: Preprocessing) -> Image.Image:
        """Decode it, in enough detail for the network and for drawing.

        Raises:
            ImageError: It cannot be read.
        """
        p = preprocessing
        return decode(
            self.path,
            background=p.background,
            draft_side=max(p.resize or p.size, SIDE),
            box=self.box if p.use_boxes else None,
        )


def frame(picture: Image.Image, preprocessing: Preprocessing, *, side: int = SIDE) -> Image.Image:
    """Return what the network sees of a picture, as a square with sides of so many pixels."""
    p = preprocessing
    box = p.geometry(*picture.size).box
    pixels = cut(picture, box, p.model_copy(update={"size": side}))
    return Image.fromarray(pixels.transpose(1, 2, 0))


def mapped(seen: Image.Image, values: Array) -> Image.Image:
    """Draw a group's map over what the network saw, with a ring around the peak.

    The strongest colour is the map's own peak. So the picture shows the shape of the map; the
    caption says how high the peak is.
    """
    whole = all_of(seen)
    drawn = overlay(seen, values, whole, limit=float(values.max()) or 1.0, side=seen.width)
    left, top, right, bottom = whole.cell(*peak_cell(values), (values.shape[0], values.shape[1]))
    _ring(drawn, ((left + right) / 2, (top + bottom) / 2), radius=0.055 * seen.width)
    return drawn


def _ring(picture: Image.Image, centre: tuple[float, float], *, radius: float) -> None:
    """Draw a black ring with a white edge, which is visible on any background."""
    finer = 4  # Pillow draws without antialiasing, so draw larger and shrink
    for colour, width in (("white", 0.5), ("black", 0.22)):
        mask = Image.new("L", (picture.width * finer, picture.height * finer))
        reach = radius * (1 + width / 2)
        box = [finer * (at + sign * reach) for sign in (-1, 1) for at in centre]
        ImageDraw.Draw(mask).ellipse(box, outline=255, width=round(finer * radius * width))
        picture.paste(colour, mask=mask.resize(picture.size, Image.Resampling.BOX))
