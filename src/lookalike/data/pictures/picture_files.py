"""Opening picture files, with one plain reason for each way in which this can fail."""

import os
import stat
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from lookalike.errors import ImageError

MAX_PIXELS = 178_956_970
"""Pictures with more pixels are refused. Pillow itself opens no larger ones."""

_warning_filters = threading.Lock()


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
