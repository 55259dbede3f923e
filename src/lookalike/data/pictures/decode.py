"""Reading a picture from a file, a PIL image or an array as upright RGB.

There is one plain reason for each way in which this can fail.
"""

import os
import stat
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import ceil, floor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from lookalike.data.catalog.entries import Box
from lookalike.errors import ImageError

RGB = tuple[int, int, int]
Picture = str | Path | Image.Image | npt.NDArray[Any]
"""A file's path, a PIL image, or a uint8 array: h×w, h×w×3 or h×w×4."""

MAX_PIXELS = 178_956_970
"""Pictures with more pixels are refused. Pillow itself opens no larger ones."""

_warning_filters = threading.Lock()


def decode(
    source: Picture,
    *,
    background: RGB = (255, 255, 255),
    draft_side: int | None = None,
    max_pixels: int = MAX_PIXELS,
    box: Box | None = None,
) -> Image.Image:
    """Return a picture as upright RGB.

    The EXIF orientation is applied. `to_rgb` says what happens to
    each kind of pixel. Of an animation the first frame is taken. A file that is cut short is an
    error, never a half-grey picture (unless `LOAD_TRUNCATED_IMAGES` of Pillow is set).

    Args:
        source: A path, a PIL image (which is not changed), or a uint8 array.
        background: RGB behind transparent pixels.
        draft_side: Allows a JPEG to be decoded at 1/2, 1/4 or 1/8 of its size, as long as the
            shorter side of the result has at least this many pixels. A size that does not divide
            is rounded up, so places shift by less than one of the smaller picture's pixels.
            Places are still given in the original's pixels: see `size_of`.
        max_pixels: Files with more pixels are refused; at most 178 956 970.
        box: What to cut out, in the upright original's pixels.

    Raises:
        ImageError: The file cannot be read, or the box misses the picture; the message has path
            and reason.
        ValueError: The array is not uint8, or has another shape.
    """
    if isinstance(source, np.ndarray):
        name, image = "<array>", _from_array(source)
        size = image.size
    elif isinstance(source, Image.Image):
        name = str(getattr(source, "filename", "")) or "<PIL image>"
        image = load_upright(source, name)
        size = image.size
    else:
        name = str(source)
        with open_picture(source, max_pixels=max_pixels) as opened:
            size = upright_size(opened)
            if draft_side is not None:
                shorter = min(size) if box is None else min(box[2] - box[0], box[3] - box[1])
                scale = next((s for s in (8, 4, 2) if shorter / s >= draft_side), 1)
                if scale > 1:
                    opened.draft(None, (opened.width // scale, opened.height // scale))
            image = load_upright(opened, name)
    if box is not None:
        image = image.crop(_pixel_box(image.size, size, box, name))
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


def _pixel_box(
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


def to_rgb(image: Image.Image, background: RGB) -> Image.Image:
    """Turn a loaded picture into RGB.

    - Transparent pixels of any kind (alpha, a palette's, a transparent colour) are laid on the
      background.
    - 16-bit grey is scaled: 0 is black, 65 535 is white.
    - In float grey 0 is black and 1 is white.
    - CMYK, YCbCr, HSV, LAB, palettes, grey and black-and-white are converted as Pillow does.
    - Embedded colour profiles are ignored.

    Raises:
        ValueError: Grey values are out of these ranges, or Pillow cannot convert the mode.
    """
    if is_deep(image):
        image = _eight_bits(image)
    elif image.mode == "La":
        image = image.convert("LA")
    if not image.has_transparency_data:
        return image.convert("RGB") if image.mode != "RGB" else image
    straight = image.convert("RGBA")
    canvas = Image.new("RGB", image.size, background)
    canvas.paste(straight.convert("RGB"), mask=straight.getchannel("A"))
    return canvas


def is_deep(image: Image.Image) -> bool:
    """Say whether a picture has more than 8 bits per value."""
    return image.mode == "F" or image.mode.startswith("I")


def _eight_bits(image: Image.Image) -> Image.Image:
    values = np.asarray(image)
    white = 1.0 if image.mode == "F" else 65535.0
    numbers = values.astype(np.float64)
    low, high = float(numbers.min()), float(numbers.max())
    if not (low >= 0 and high <= white):  # also refuses NaN
        raise ValueError(
            f"grey values from {low:g} to {high:g} where 0 is black and {white:g} is white; "
            "convert it to 8 bits first"
        )
    grey = np.rint(numbers * (255 / white)).astype(np.uint8)
    # A 16-bit PNG may name one grey as transparent.
    clear = image.info.get("transparency")
    if not isinstance(clear, int):
        return Image.fromarray(grey)
    alpha = np.where(values == clear, 0, 255).astype(np.uint8)
    return Image.fromarray(np.stack([grey, alpha], axis=-1))


def open_picture(path: str | Path, *, max_pixels: int = MAX_PIXELS) -> Image.Image:
    """Read a picture's header; use it in a `with`, since the file stays open for the pixels.

    Raises:
        ImageError: The file does not exist, is no picture, or has more than `max_pixels`.
    """
    _check_file(path)
    try:
        with _without_warnings():
            image = Image.open(path)
    except Exception as error:
        raise ImageError(path, _reason(error)) from error
    if image.width * image.height > max_pixels:
        image.close()
        raise ImageError(path, _too_large(max_pixels, image.size))
    return image


def load_upright(image: Image.Image, name: str | Path) -> Image.Image:
    """Read the pixels of the first frame and turn them as the EXIF orientation says.

    Raises:
        ImageError: The pixels are cut short or damaged.
    """
    try:
        image.load()
    except Exception as error:  # decoders raise nearly anything on damaged bytes
        raise ImageError(name, _reason(error)) from error
    if orientation(image) == 1:
        return image
    upright = image.copy()
    with suppress(Exception), _without_warnings():  # the pixels are turned before EXIF is written
        ImageOps.exif_transpose(upright, in_place=True)
    return upright


def upright_size(image: Image.Image) -> tuple[int, int]:
    """Return width and height as they will be once the picture is upright."""
    # Pillow gives the size of a TIFF as already turned.
    if image.format != "TIFF" and orientation(image) >= 5:
        return image.height, image.width
    return image.size


def orientation(image: Image.Image) -> int:
    """Return the EXIF orientation, 1 to 8; 1 where there is none that can be read."""
    try:
        with _without_warnings():
            value = image.getexif().get(ExifTags.Base.Orientation, 1)
    except Exception:  # the pixels may be whole though EXIF is damaged
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Silence Pillow's warnings about odd metadata and about its own limit on pixels."""
    with _warning_filters, warnings.catch_warnings():  # threads share the filters
        warnings.simplefilter("ignore")
        yield


def _check_file(path: str | Path) -> None:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        link = "the link points to a file that is not there"
        reason = link if os.path.islink(path) else "there is no such file"
        raise ImageError(path, reason) from None
    except (OSError, ValueError) as error:
        raise ImageError(path, _reason(error)) from None
    if stat.S_ISDIR(status.st_mode):
        raise ImageError(path, "it is a folder, not a file")
    if not stat.S_ISREG(status.st_mode):
        raise ImageError(path, "it is not a regular file")
    if status.st_size == 0:
        raise ImageError(path, "the file is empty")


def _reason(error: Exception) -> str:
    text = " ".join(str(error).split())
    if isinstance(error, UnidentifiedImageError):
        return "not a picture in a known format, or cut off at its start"
    if isinstance(error, Image.DecompressionBombError):
        return _too_large(MAX_PIXELS)
    if isinstance(error, PermissionError):
        return "no permission to read it"
    if isinstance(error, MemoryError):
        return "there is not enough memory to decode it"
    if isinstance(error, OSError) and error.strerror:
        return f"it cannot be read: {error.strerror}"
    if "truncated" in text.lower():
        return f"the file is truncated ({text})"
    return f"the file is damaged ({text or type(error).__name__})"


def _too_large(limit: int, size: tuple[int, int] | None = None) -> str:
    has = "" if size is None else f" with {size[0]}×{size[1]} pixels"
    return f"too large{has}: the limit is {limit:,} pixels; make it smaller first"
