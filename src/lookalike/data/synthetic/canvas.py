"""How a drawn figure gets onto a canvas: pose, paint, background and light."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from jaxtyping import Float, UInt8
from PIL import Image, ImageChops, ImageDraw

from lookalike.data.synthetic.shapes import Polygon

Colour = tuple[int, int, int]
Point = tuple[float, float]

OVERSAMPLING = 4
"""Pixels of the canvas along each side of a picture's pixel; clean edges need several."""

_OUTLINE: Colour = (45, 42, 50)
_REACH = 1.95  # from a figure's centre to its furthest tip, in the figure's units


@dataclass(frozen=True, slots=True)
class Pose:
    """How a figure is posed; angles in degrees, clockwise.

    Args:
        lean: Of the whole figure.
        tilt: Of the head.
        limbs: Of the left arm, right arm, left leg and right leg, from hanging straight down.
        scale: Pixels of the canvas for one unit of the figure.
        centre: Of the body, pixels of the canvas.
    """

    lean: float
    tilt: float
    limbs: tuple[float, float, float, float]
    scale: float
    centre: Point

    def place(self, polygon: Polygon, *, at: Point = (0.0, 0.0), angle: float = 0.0) -> Polygon:
        """Turn a polygon, put it at a point of the figure, and return canvas coordinates."""
        on_figure = _turned(polygon, angle) + at
        return _turned(on_figure, self.lean) * self.scale + self.centre


def random_pose(rng: np.random.Generator, side: int) -> Pose:
    """Draw a pose that keeps the figure on a canvas of this side."""
    scale = side / (2 * _REACH) * rng.uniform(0.72, 1.0)
    room = side / 2 - scale * _REACH
    arms, legs = rng.uniform(15, 100, 2), rng.uniform(-8, 28, 2)
    return Pose(
        lean=float(rng.uniform(-14, 14)),
        tilt=float(rng.uniform(-16, 16)),
        limbs=(float(arms[0]), -float(arms[1]), float(legs[0]), -float(legs[1])),
        scale=float(scale),
        centre=(
            side / 2 + float(rng.uniform(-1, 1)) * room,
            side / 2 + float(rng.uniform(-1, 1)) * room,
        ),
    )


class Canvas:
    """A picture, and the code of the object part that each of its pixels shows; 0 is none.

    Args:
        background: RGB pixels to paint on.
        line: Width of outlines, pixels of the canvas.
    """

    def __init__(self, background: Image.Image, *, line: int) -> None:
        self.colours = background
        self.codes = Image.new("L", background.size, 0)
        self._line = line

    def paint(self, polygons: Sequence[Polygon], colour: Colour, code: int) -> None:
        """Paint the union of polygons with a dark outline around it."""
        for canvas, edge, fill in ((self.colours, _OUTLINE, colour), (self.codes, code, code)):
            pen = ImageDraw.Draw(canvas)
            for polygon in polygons:
                corners = polygon.ravel().tolist()
                pen.line([*corners, *corners[:4]], fill=edge, width=self._line, joint="curve")
            for polygon in polygons:
                pen.polygon(polygon.ravel().tolist(), fill=fill)

    def paint_within(
        self, polygons: Sequence[Polygon], colour: Colour, code: int, *, region: Sequence[Polygon]
    ) -> None:
        """Paint polygons without an outline, only where they lie in the region."""
        mask = ImageChops.darker(self._mask(polygons), self._mask(region))
        self.colours.paste(colour, mask=mask)
        self.codes.paste(code, mask=mask)

    def _mask(self, polygons: Sequence[Polygon]) -> Image.Image:
        mask = Image.new("L", self.codes.size, 0)
        pen = ImageDraw.Draw(mask)
        for polygon in polygons:
            pen.polygon(polygon.ravel().tolist(), fill=255)
        return mask

    def part_codes(self, count: int) -> UInt8[npt.NDArray[Any], "h w"]:
        """Return the code that covers most of each pixel of the picture; 0 wins ties."""
        fine = np.asarray(self.codes)
        side = fine.shape[0] // OVERSAMPLING
        blocks = fine.reshape(side, OVERSAMPLING, side, OVERSAMPLING)
        cover = [(blocks == code).sum(axis=(1, 3)) for code in range(count + 1)]
        codes: npt.NDArray[np.uint8] = np.argmax(cover, axis=0).astype(np.uint8)
        return codes


def background(rng: np.random.Generator, side: int) -> Image.Image:
    """Draw a dull gradient with a few paler or darker clouds."""
    ends = rng.uniform(110, 225, (2, 1, 1, 1)) + rng.uniform(-30, 30, (2, 1, 1, 3))
    angle = rng.uniform(0, 2 * np.pi)
    image = Image.fromarray(_slope(ends, side // OVERSAMPLING, angle).astype(np.uint8))
    image = image.resize((side, side), Image.Resampling.BILINEAR)
    pen = ImageDraw.Draw(image)
    for _ in range(3):
        x, y = rng.uniform(0, side, 2)
        w, h = rng.uniform(0.08, 0.3, 2) * side
        shade = tuple(int(v) for v in (ends[0, 0, 0] + rng.uniform(-40, 40)).clip(0, 255))
        pen.ellipse((x - w, y - h, x + w, y + h), fill=shade)
    return image


def light(rng: np.random.Generator, picture: Image.Image) -> Image.Image:
    """Make a picture brighter or darker, more so towards one side."""
    ends = rng.uniform(0.78, 1.18, (2, 1, 1, 1))
    shade = _slope(ends, picture.width, rng.uniform(0, 2 * np.pi))
    return Image.fromarray((np.asarray(picture) * shade).clip(0, 255).astype(np.uint8))


def _slope(
    ends: npt.NDArray[np.float64], side: int, angle: float
) -> Float[npt.NDArray[Any], "side side channels"]:
    """Return a slope from one end's colour to the other's across a square, along an angle."""
    x, y = np.meshgrid(np.linspace(-1, 1, side), np.linspace(-1, 1, side))
    share = 0.5 + (x * np.cos(angle) + y * np.sin(angle)) / np.sqrt(8)
    slope: npt.NDArray[np.float64] = ends[0] + (ends[1] - ends[0]) * share[..., None]
    return slope


def _turned(polygon: Polygon, degrees: float) -> Polygon:
    cos, sin = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
    turned: Polygon = polygon @ np.array([[cos, sin], [-sin, cos]])
    return turned
