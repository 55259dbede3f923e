"""From a decoded picture to a network's input, and from a map on the input to the picture."""

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from jaxtyping import Float, UInt8
from PIL import Image, ImageOps
from torch import Tensor

from lookalike.data.catalog.entries import Box
from lookalike.data.pictures.decode import Picture, decode
from lookalike.preprocessing import Geometry, Preprocessing

FILTERS = {"bilinear": Image.Resampling.BILINEAR, "bicubic": Image.Resampling.BICUBIC}


def read_for(
    source: Picture,
    preprocessing: Preprocessing,
    *,
    box: Box | None = None,
    side: int | None = None,
) -> Image.Image:
    """Decode a picture for a network: on its background, no larger than the network needs.

    Args:
        source: The picture.
        preprocessing: What the network's input is.
        box: What to cut out, in the upright original's pixels.
        side: The shorter side that is needed, in pixels; that of the preprocessing if None.

    Raises:
        ImageError: The picture cannot be read.
    """
    p = preprocessing
    side = side or p.resize or p.size
    return decode(source, background=p.background, draft_side=side, box=box)


def prepare(picture: Image.Image, preprocessing: Preprocessing) -> UInt8[Tensor, "3 s s"]:
    """Cut and resize a decoded picture to the network's input.

    The box of `preprocessing.geometry` is resampled in one antialiased step, to a fraction of a
    pixel. So the geometry alone relates a position on the input to one on the picture.

    >>> prepare(Image.new("RGB", (40, 30), "red"), Preprocessing(size=8)).shape
    torch.Size([3, 8, 8])
    """
    box = preprocessing.geometry(*picture.size).box
    return torch.from_numpy(cut(picture, box, preprocessing))


def cut(
    picture: Image.Image, box: Box, preprocessing: Preprocessing
) -> UInt8[npt.NDArray[Any], "3 s s"]:
    """Resample a box of an RGB picture to the network's input; beyond the edges is background."""
    left, top, right, bottom = box
    beyond = max(-left, -top, right - picture.width, bottom - picture.height)
    if beyond > 1e-6:  # more than rounding
        margin = ceil(beyond)
        picture = ImageOps.expand(picture, margin, preprocessing.background)
        box = (left + margin, top + margin, right + margin, bottom + margin)
    side = preprocessing.size
    small = picture.resize((side, side), FILTERS[preprocessing.interpolation], box=box)
    return np.ascontiguousarray(np.asarray(small).transpose(2, 0, 1))


def to_inputs(
    pictures: Sequence[Image.Image], preprocessing: Preprocessing
) -> Float[Tensor, "n 3 s s"]:
    """Return decoded pictures as a network's input."""
    pixels = torch.stack([prepare(picture, preprocessing) for picture in pictures])
    return normalise(pixels, preprocessing)


def normalise(
    pixels: UInt8[Tensor, "n 3 s s"], preprocessing: Preprocessing
) -> Float[Tensor, "n 3 s s"]:
    """Turn bytes into the numbers that the network expects: (value / 255 − mean) / std."""
    mean = torch.tensor(preprocessing.mean, device=pixels.device).view(3, 1, 1)
    std = torch.tensor(preprocessing.std, device=pixels.device).view(3, 1, 1)
    return torch.addcmul(-mean / std, pixels, 1 / (255 * std))  # one pass over the pixels


def map_to_picture(
    values: Float[npt.NDArray[Any], "h w"], geometry: Geometry
) -> Float[npt.NDArray[Any], "height width"]:
    """Bring a map on the network's input back to the original picture's pixels.

    The centres of cells keep their values, with bilinear values between them. The outermost
    values reach to the edges of what the network saw. Pixels that it did not see are NaN.

    Args:
        values: The map, of any size; its cells share the input evenly.
        geometry: Where the input is on the picture: `Preprocessing.geometry` of the original's
            size.
    """
    left, top, right, bottom = geometry.box
    rows, unseen_rows = _cell_positions(geometry.height, top, bottom, values.shape[0])
    columns, unseen_columns = _cell_positions(geometry.width, left, right, values.shape[1])
    tall = _interpolate(values.astype(np.float32), rows)
    full = _interpolate(np.ascontiguousarray(tall.T), columns).T
    full[unseen_rows] = np.nan
    full[:, unseen_columns] = np.nan
    return np.ascontiguousarray(full)


def _cell_positions(
    pixels: int, start: float, end: float, cells: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return each pixel's place among the cells' centres, and which pixels are outside."""
    centres = np.arange(pixels) + 0.5
    position = (centres - start) * (cells / (end - start)) - 0.5
    return position.clip(0, cells - 1), (centres < start) | (centres > end)


def _interpolate(
    values: npt.NDArray[np.float32], rows: npt.NDArray[np.float64]
) -> npt.NDArray[np.float32]:
    below = np.floor(rows).astype(np.intp)
    above = np.minimum(below + 1, len(values) - 1)
    share = (rows - below).astype(np.float32)[:, None]
    return values[below] * (1 - share) + values[above] * share
