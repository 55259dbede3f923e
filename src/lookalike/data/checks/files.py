"""Checks of a catalog's files, one by one; every picture is decoded in full."""

import hashlib
import os
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from jaxtyping import Float64
from PIL import ExifTags, Image, UnidentifiedImageError

from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.folders import SUFFIXES
from lookalike.data.checks.findings import Finding
from lookalike.data.pictures.files import open_picture
from lookalike.data.pictures.images import decode
from lookalike.errors import ImageError
from lookalike.progress import Progress

SUFFIXES_OF = {
    "JPEG": {".jpg", ".jpeg"},
    "MPO": {".jpg", ".jpeg"},  # several JPEGs in one file, as phones write them
    "PNG": {".png"},
    "WEBP": {".webp"},
    "GIF": {".gif"},
    "BMP": {".bmp"},
    "TIFF": {".tif", ".tiff"},
}
"""Suffixes that agree with what Pillow finds in a file."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """What one file turned out to be.

    Args:
        findings: Without the row and the path.
        digest: SHA-256 of the file's bytes; None if it cannot be read.
    """

    findings: tuple[tuple[str, str], ...]
    digest: bytes | None


def check_files(
    catalog: Catalog, *, max_pixels: int, workers: int, progress: Progress | None
) -> tuple[list[Finding], list[bytes | None]]:
    """Read every picture; return what was found, and each file's digest.

    Args:
        catalog: The pictures.
        max_pixels: A picture with more is too large.
        workers: Threads that read at once.
        progress: Called after each picture.
    """
    findings: list[Finding] = []
    digests: list[bytes | None] = []
    look = partial(_inspect_row, catalog, max_pixels)
    with warnings.catch_warnings(), ThreadPoolExecutor(workers) as pool:
        warnings.simplefilter("ignore")  # Pillow's warnings about files come back as findings
        for i, inspection in enumerate(pool.map(look, range(len(catalog)))):
            digests.append(inspection.digest)
            findings += [
                Finding(kind, message, catalog.paths[i], int(catalog.rows[i]))
                for kind, message in inspection.findings
            ]
            if progress is not None:
                progress(i + 1, len(catalog))
    return findings, digests


def _inspect_row(catalog: Catalog, max_pixels: int, i: int) -> Inspection:
    path = catalog.path(i)
    try:
        size = decode(path, max_pixels=max_pixels).size
        with open_picture(path, max_pixels=max_pixels) as image:
            peculiarities = tuple(_peculiarities(image, path))
    except ImageError as error:
        return Inspection(((_kind(path, error), error.reason),), None)
    faults = tuple(_box_faults(catalog.boxes[i], size))
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").digest()
    return Inspection((*faults, *peculiarities), digest)


def _kind(path: Path, error: ImageError) -> str:
    """Say which kind of finding an error is, by what it came from and what stands at the path."""
    kinds: dict[type[Exception], str] = {
        FileNotFoundError: "missing",
        PermissionError: "permission",
        UnidentifiedImageError: "not-an-image",
        Image.DecompressionBombError: "too-large",
    }
    for origin, kind in kinds.items():
        if isinstance(error.__context__, origin):
            return kind
    if not os.path.exists(path):
        return "missing"
    if os.path.isdir(path):
        return "directory"
    if not os.path.isfile(path):
        return "not-a-file"
    if os.path.getsize(path) == 0:
        return "empty-file"
    if error.__context__ is None:
        return "too-large"
    return "truncated" if "truncated" in error.reason else "undecodable"


def _peculiarities(image: Image.Image, path: Path) -> Iterator[tuple[str, str]]:
    """Say what is unusual about a picture that can be opened, and what is done about it."""
    suffix = path.suffix.lower()
    expected = SUFFIXES_OF.get(str(image.format), set())
    if suffix in SUFFIXES and suffix not in expected:
        yield "wrong-extension", f"it is {image.format}, not what {suffix} says"
    if image.format != "MPO" and _frames(image) > 1:
        yield "animated", f"{_frames(image)} frames; the first is used"
    if _orientation(image) in range(2, 9):
        yield "rotated", f"EXIF orientation {_orientation(image)} is applied"
    if image.mode == "CMYK":
        yield "cmyk", "CMYK is converted to RGB without its colour profile"
    if image.mode == "F" or image.mode.startswith("I"):
        yield "deep-colour", f"mode {image.mode} is scaled to 8 bits"
    if image.has_transparency_data:
        yield "alpha", "transparent pixels are laid on the background"


def _frames(image: Image.Image) -> int:
    try:
        return int(getattr(image, "n_frames", 1))
    except Exception:  # a damaged later frame does not matter: the first was decoded
        return 1


def _orientation(image: Image.Image) -> int:
    try:
        return int(image.getexif().get(ExifTags.Base.Orientation, 1))
    except Exception:  # damaged EXIF is ignored when reading, too
        return 1


def _box_faults(box: Float64[np.ndarray, " 4"], size: tuple[int, int]) -> Iterator[tuple[str, str]]:
    if np.isnan(box).any():
        return
    left, top, right, bottom = box.tolist()
    width, height = size
    where = f"box {left:g} {top:g} {right:g} {bottom:g} in a picture of {width}×{height}"
    if left >= width or top >= height or right <= 0 or bottom <= 0:
        yield "box-outside", f"{where} holds no pixel of it"
    elif left < 0 or top < 0 or right > width or bottom > height:
        yield "box-beyond-edge", f"{where} is cut at its edges"
