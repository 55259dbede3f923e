"""Maps drawn over their pictures, in the one colour scale of figures and pages.

Red raises a score and blue lowers it; colour-blind readers can tell these two colours apart.
Colour and opacity grow with the size of a value. So the picture is visible where a map is near
zero.
"""

import base64
import io
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from lookalike.data import map_to_picture
from lookalike.preprocessing import Geometry

Array = npt.NDArray[np.float64]
Colours = npt.NDArray[np.float32]
Values = npt.NDArray[np.floating[Any]]

FOR = ((253, 174, 97), (165, 15, 21))
"""RGB of a small and of the largest value above zero."""
AGAINST = ((103, 169, 222), (5, 54, 145))
"""RGB of a small and of the largest value below zero."""
OPACITY = 0.9
"""Of the largest value; a value of zero is transparent."""
BEND = 0.6
"""Strength is (|value| / limit) to this power. It is below 1, so that small values are visible."""
SIDE = 320
"""Longer side of an overlay, pixels."""


def limit_of(*maps: Array) -> float:
    """Return the largest absolute value of several maps: the end of their common scale."""
    return max((float(np.abs(values).max()) for values in maps), default=0.0) or 1.0


def colours(values: Values, *, limit: float) -> Colours:
    """Return RGB in [0, 255] and opacity in [0, 1] of values in score units, as … × 4.

    Args:
        values: Any shape; NaN becomes transparent.
        limit: The value with the strongest colour; larger values look the same.
    """
    known = np.nan_to_num(values).astype(np.float32)[..., None]
    strength = np.clip(np.abs(known) / np.float32(limit), 0, 1) ** np.float32(BEND)
    ends = np.array([AGAINST, FOR], dtype=np.float32)[(known[..., 0] > 0).astype(np.intp)]
    weak, strong = ends[..., 0, :], ends[..., 1, :]
    rgb = weak + (strong - weak) * strength
    return np.concatenate([rgb, OPACITY * strength], axis=-1, dtype=np.float32)


def ramp(steps: int) -> npt.NDArray[np.uint8]:
    """Return the scale on white, from the strongest against to the strongest for, as steps × 3."""
    tint = colours(np.linspace(-1, 1, steps), limit=1.0)
    alpha = tint[:, 3:]
    on_white: npt.NDArray[np.uint8] = (tint[:, :3] * alpha + 255 * (1 - alpha)).astype(np.uint8)
    return on_white


def overlay(
    picture: Image.Image, values: Array, geometry: Geometry, *, limit: float, side: int = SIDE
) -> Image.Image:
    """Draw a map over its picture, faded to grey; what the network did not see is hatched.

    Args:
        picture: The upright original, at any size.
        values: Height × width of the map, in score units.
        geometry: Where the map lies on the original.
        limit: The value with the strongest colour.
        side: Longer side of the result, pixels.
    """
    base = scaled(picture, side)
    width, height = base.size
    across, down = width / geometry.width, height / geometry.height
    left, top, right, bottom = geometry.box
    at_this_size = replace(
        geometry,
        width=width,
        height=height,
        box=(left * across, top * down, right * across, bottom * down),
    )
    on_picture = map_to_picture(values, at_this_size)
    tint = colours(on_picture, limit=limit)
    alpha = tint[..., 3:]
    mixed = _faded(base) * (1 - alpha) + tint[..., :3] * alpha
    _hatch(mixed, np.isnan(on_picture))
    return Image.fromarray(mixed.astype(np.uint8))


def all_of(picture: Image.Image) -> Geometry:
    """Return the geometry of a picture that the network saw all of."""
    return Geometry(*picture.size, box=(0.0, 0.0, float(picture.width), float(picture.height)))


def scaled(picture: Image.Image, side: int) -> Image.Image:
    """Return a picture with a longer side of `side` pixels, smaller or larger than it was."""
    factor = side / max(picture.size)
    size = (max(1, round(picture.width * factor)), max(1, round(picture.height * factor)))
    return picture.resize(size, Image.Resampling.LANCZOS)


def _faded(picture: Image.Image) -> Colours:
    """Remove the colour and some of the contrast, so that the map's colours are clear."""
    grey = np.asarray(picture.convert("L"), dtype=np.float32)[..., None]
    return 255 - np.float32(0.75) * (255 - grey)


def _hatch(pixels: Colours, unseen: npt.NDArray[np.bool_]) -> None:
    height, width = unseen.shape
    stripes = np.add.outer(np.arange(height), np.arange(width)) % 8 < 2
    pixels[unseen] = 0.4 * pixels[unseen] + 0.6 * 215
    pixels[unseen & stripes] = 150


def data_uri(picture: Image.Image) -> str:
    """Return a picture as text for a page: JPEG, which is small for many soft overlays."""
    buffer = io.BytesIO()
    picture.save(buffer, format="JPEG", quality=90, subsampling=0)
    return f"data:image/jpeg;base64,{base64.b64encode(buffer.getvalue()).decode()}"
