"""Preprocessing as one value, and where the network's input lies on the picture.

The value is saved with the model and used by every command, so a picture is always prepared in
the same way. How pixels are read and moved is in `lookalike.data.pictures`.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from lookalike.config import Config

Byte = Annotated[int, Field(ge=0, le=255)]
Positive = Annotated[float, Field(gt=0)]

IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_STD = (0.229, 0.224, 0.225)


class Preprocessing(Config):
    """How a picture becomes the network's square input.

    `fit` says how: "crop" resizes the shorter side to `resize` and takes the centre square of
    `size`; "stretch" resizes both sides to `size`, whatever the shape; "pad" resizes the longer
    side to `resize`, fills up to a square with `background`, the picture in the centre, and takes
    that square's own centre square of `size`.
    """

    size: Annotated[int, Field(ge=8, le=4096)] = 224
    """Side of the square input, pixels."""
    resize: Annotated[int, Field(ge=8, le=8192)] | None = None
    """Side before the crop, pixels: the shorter one for fit = crop, the longer one for fit = pad.
    None is `size`; fit = stretch has no use for it."""
    fit: Literal["crop", "stretch", "pad"] = "crop"
    interpolation: Literal["bilinear", "bicubic"] = "bicubic"
    """Filter for resizing; both are antialiased."""
    background: tuple[Byte, Byte, Byte] = (255, 255, 255)
    """RGB behind transparent pixels, and of padding."""
    use_boxes: bool = False
    """Take the inside of a catalog's boxes as the picture, where there is one."""
    mean: tuple[float, float, float] = IMAGENET_MEAN
    """Subtracted from RGB in [0, 1]."""
    std: tuple[Positive, Positive, Positive] = IMAGENET_STD
    """Divides RGB after the mean is subtracted."""

    def geometry(self, width: int, height: int) -> "Geometry":
        """Return where the input lies on an upright picture of this size, in its pixels.

        >>> Preprocessing(size=100).geometry(300, 200).box
        (50.0, 0.0, 250.0, 200.0)
        >>> Preprocessing(size=100, fit="pad").geometry(300, 200).box
        (0.0, -50.0, 300.0, 250.0)
        >>> Preprocessing(size=100, resize=150, fit="pad").geometry(300, 200).box
        (50.0, 0.0, 250.0, 200.0)
        """
        if self.fit == "stretch":
            box = (0.0, 0.0, float(width), float(height))
        else:
            resized = min(width, height) if self.fit == "crop" else max(width, height)
            box = _centred(width, height, self.size * resized / (self.resize or self.size))
        return Geometry(width=width, height=height, box=box)

    def canvas(self, width: int, height: int) -> tuple[float, float, float, float]:
        """Return the area in which the input's box may be moved: left, top, right, bottom, pixels.

        It is the picture itself. With fit = pad and a `resize` of its own it is the padded square.

        >>> Preprocessing(size=100, resize=150, fit="pad").canvas(300, 200)
        (0.0, -50.0, 300.0, 250.0)
        """
        if self.fit == "pad" and (self.resize or self.size) != self.size:
            return _centred(width, height, float(max(width, height)))
        return (0.0, 0.0, float(width), float(height))


def _centred(width: int, height: int, side: float) -> tuple[float, float, float, float]:
    left, top = (width - side) / 2, (height - side) / 2
    return (left, top, left + side, top + side)


@dataclass(frozen=True, slots=True)
class Geometry:
    """Where a network's input lies on the original picture.

    Args:
        width: Of the upright original, pixels.
        height: Of the upright original, pixels.
        box: Left, top, right, bottom of the input's edges in the original's pixels; beyond the
            picture where the input was padded.
    """

    width: int
    height: int
    box: tuple[float, float, float, float]

    def cell(
        self, row: int, column: int, grid: tuple[int, int]
    ) -> tuple[float, float, float, float]:
        """Return a map cell's left, top, right, bottom on the original, pixels.

        >>> Preprocessing(size=100).geometry(300, 200).cell(0, 1, (2, 2))
        (150.0, 0.0, 250.0, 100.0)
        """
        left, top, right, bottom = self.box
        step_x, step_y = (right - left) / grid[1], (bottom - top) / grid[0]
        x, y = left + column * step_x, top + row * step_y
        return (x, y, x + step_x, y + step_y)
