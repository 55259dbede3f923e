"""From a picture to the network's pixels, and from a map on them back to the picture."""

from collections.abc import Sequence
from math import ceil, floor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from jaxtyping import Float, UInt8
from PIL import Image
from torch import Tensor

from lookalike.data.pictures.colour import RGB, to_rgb
from lookalike.data.pictures.files import MAX_PIXELS, load_upright, open_picture, upright_size
from lookalike.errors import ImageError
from lookalike.preprocessing import Geometry, Preprocessing

Picture = str | Path | Image.Image | npt.NDArray[Any]
"""A file's path, a PIL image, or a uint8 array: h×w, h×w×3 or h×w×4."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom in the pixels of the upright original."""

FILTERS = {
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
}


def decode(
    source: Picture,
    *,
    background: RGB = (255, 255, 255),
    draft_side: int | None = None,
    max_pixels: int = MAX_PIXELS,
    box: Box | None = None,
) -> Image.Image:
    """Return a picture as upright RGB.

    The EXIF orientation is applied; what happens to each kind of pixel is said in
    `lookalike.data.pictures.colour.to_rgb`; of an animation the first frame is taken. A file
    that is cut short is an error, never a half-grey picture (unless the process has told Pillow
    otherwise by `LOAD_TRUNCATED_IMAGES`).

    Args:
        source: A path, a PIL image (left as it is), or a uint8 array.
        background: RGB behind transparent pixels.
        draft_side: JPEG may be decoded at 1/2, 1/4 or 1/8 of its size, as long as the shorter side
            of what is returned stays at this many pixels or more. A size that does not divide is
            rounded up, so places shift by less than one of the smaller picture's pixels; they are
            still told in the original's: see `size_of`.
        max_pixels: Files with more pixels are refused; at most 178 956 970.
        box: What to cut out, in the upright original's pixels.

    Raises:
        ImageError: The file cannot be read, or the box misses the picture; path and reason are in
            it.
        ValueError: The array is not uint8, or has another shape.
    """
    name = _name(source)
    if isinstance(source, np.ndarray):
        image = _from_array(source)
        size = image.size
    elif isinstance(source, Image.Image):
        image = load_upright(source, name)
        size = image.size
    else:
        with open_picture(source, max_pixels=max_pixels) as opened:
            size = upright_size(opened)
            if draft_side is not None:
                _draft(opened, float(min(size)) if box is None else _shorter(box), draft_side)
            image = load_upright(opened, name)
    if box is not None:
        image = image.crop(_box_on(image.size, size, box, name))
    try:
        rgb = to_rgb(image, background)
    except (ValueError, ImportError) as error:
        raise ImageError(name, f"its pixels are {image.mode}: {error}") from error
    return rgb.copy() if rgb is source else rgb


def size_of(source: Picture) -> tuple[int, int]:
    """Return the upright original's width and height; of a file, only the header is read.

    Raises:
        ImageError: The file cannot be read.
    """
    if isinstance(source, np.ndarray):
        return _from_array(source).size
    if isinstance(source, Image.Image):
        return upright_size(source)
    with open_picture(source) as opened:
        return upright_size(opened)


def prepare(picture: Image.Image, preprocessing: Preprocessing) -> UInt8[Tensor, "3 s s"]:
    """Cut and resize a decoded picture to the network's input.

    The part that `preprocessing.geometry` names is resampled in one antialiased step, to a
    fraction of a pixel, so a position on the input and on the picture are related by the geometry
    alone.

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
        picture = _with_margin(picture, margin, preprocessing.background)
        box = (left + margin, top + margin, right + margin, bottom + margin)
    side = preprocessing.size
    small = picture.resize((side, side), FILTERS[preprocessing.interpolation], box=box)
    return np.ascontiguousarray(np.asarray(small).transpose(2, 0, 1))


def read_for(source: Picture, preprocessing: Preprocessing) -> Image.Image:
    """Decode a picture for a network: on its background, no larger than it has use for.

    Raises:
        ImageError: The picture cannot be read.
    """
    p = preprocessing
    return decode(source, background=p.background, draft_side=p.resize or p.size)


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

    Cell centres keep their values, between them it is bilinear, and the outermost values reach to
    the edges of what the network saw; pixels that it did not see are NaN.

    Args:
        values: The map, of any size; its cells share the input evenly.
        geometry: Where the input lies on the picture, from `Preprocessing.geometry` of the
            original's size.
    """
    left, top, right, bottom = geometry.box
    rows, unseen_rows = _positions(geometry.height, top, bottom, values.shape[0])
    columns, unseen_columns = _positions(geometry.width, left, right, values.shape[1])
    tall = _interpolate(values.astype(np.float32), rows)
    full = _interpolate(np.ascontiguousarray(tall.T), columns).T
    full[unseen_rows] = np.nan
    full[:, unseen_columns] = np.nan
    return np.ascontiguousarray(full)


def _positions(
    pixels: int, start: float, end: float, cells: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Say where each pixel's centre falls among the cells' centres, and which fall outside."""
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


def _name(source: Picture) -> str:
    if isinstance(source, np.ndarray):
        return "<array>"
    if isinstance(source, Image.Image):
        return str(getattr(source, "filename", "")) or "<PIL image>"
    return str(source)


def _from_array(array: npt.NDArray[Any]) -> Image.Image:
    channels = array.shape[2] if array.ndim == 3 else None
    if array.dtype != np.uint8 or channels not in (None, 3, 4) or not 2 <= array.ndim <= 3:
        raise ValueError(
            "a picture as an array must be uint8 with shape (height, width), (height, width, 3) or "
            f"(height, width, 4), got {array.dtype} with shape {array.shape}"
        )
    if array.size == 0:
        raise ValueError(f"the array holds no pixels: its shape is {array.shape}")
    return Image.fromarray(np.ascontiguousarray(array))


def _draft(image: Image.Image, side: float, draft_side: int) -> None:
    scale = next((s for s in (8, 4, 2) if side / s >= draft_side), 1)
    if scale > 1:
        image.draft(None, (image.width // scale, image.height // scale))


def _shorter(box: Box) -> float:
    return min(box[2] - box[0], box[3] - box[1])


def _box_on(
    now: tuple[int, int], original: tuple[int, int], box: Box, name: str
) -> tuple[int, int, int, int]:
    """Scale a box to a picture decoded at reduced size, whole pixels, within the picture."""
    x, y = now[0] / original[0], now[1] / original[1]
    left, top = max(0, floor(box[0] * x)), max(0, floor(box[1] * y))
    right, bottom = min(now[0], ceil(box[2] * x)), min(now[1], ceil(box[3] * y))
    if left >= right or top >= bottom:
        raise ImageError(
            name,
            f"its box {tuple(box)} (left, top, right, bottom) holds no pixel of the picture, "
            f"which is {original[0]}×{original[1]}",
        )
    return left, top, right, bottom


def _with_margin(picture: Image.Image, margin: int, background: RGB) -> Image.Image:
    size = (picture.width + 2 * margin, picture.height + 2 * margin)
    canvas = Image.new("RGB", size, background)
    canvas.paste(picture, (margin, margin))
    return canvas
