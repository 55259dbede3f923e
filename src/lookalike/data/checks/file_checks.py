"""Checks of a catalog's files; every picture is decoded in full."""

import hashlib
import os
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.entries import Box
from lookalike.data.catalog.folder_tree import SUFFIXES, SUFFIXES_OF
from lookalike.data.checks.findings import CheckFinding
from lookalike.data.pictures.decode import decode, is_deep, open_picture, orientation
from lookalike.errors import ImageError
from lookalike.progress import Progress

Fault = tuple[str, str]
"""Kind and message of a finding."""


def check_files(
    catalog: Catalog, *, max_pixels: int, workers: int, progress: Progress | None
) -> tuple[list[CheckFinding], list[bytes | None]]:
    """Read every picture; the arguments are those of `check`.

    Returns:
        What was found, and the SHA-256 of each file's bytes; None where it cannot be read.
    """
    findings: list[CheckFinding] = []
    digests: list[bytes | None] = []
    inspect = partial(_inspect, catalog, max_pixels)
    with warnings.catch_warnings(), ThreadPoolExecutor(workers) as pool:
        warnings.simplefilter("ignore")  # Pillow's warnings about files become findings
        for i, (faults, digest) in enumerate(pool.map(inspect, range(len(catalog)))):
            digests.append(digest)
            path, row = catalog.paths[i], int(catalog.rows[i])
            findings += [CheckFinding(kind, message, path, row) for kind, message in faults]
            if progress is not None:
                progress(i + 1, len(catalog))
    return findings, digests


def _inspect(catalog: Catalog, max_pixels: int, i: int) -> tuple[list[Fault], bytes | None]:
    path, box = catalog.path(i), catalog.box(i)
    try:
        size = decode(path, max_pixels=max_pixels).size
        with open_picture(path, max_pixels=max_pixels) as image:
            unusual = list(_unusual(image, path))
    except ImageError as error:
        return [(_kind(path, error), error.reason)], None
    faults = [] if box is None else list(_box_faults(box, size))
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").digest()
    return faults + unusual, digest


def _kind(path: Path, error: ImageError) -> str:
    """Return the kind of finding for an error, by its cause and by what is at the path."""
    kinds: dict[type[Exception], str] = {
        FileNotFoundError: "missing",
        PermissionError: "permission",
        UnidentifiedImageError: "not-an-image",
        Image.DecompressionBombError: "too-large",
    }
    for cause, kind in kinds.items():
        if isinstance(error.__context__, cause):
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


def _unusual(image: Image.Image, path: Path) -> Iterator[Fault]:
    """Say what is unusual about a picture that can be read, and what is done about it."""
    suffix = path.suffix.lower()
    if suffix in SUFFIXES and suffix not in SUFFIXES_OF.get(str(image.format), set()):
        yield "wrong-extension", f"it is {image.format}, not what {suffix} says"
    frames = _frames(image)
    if image.format != "MPO" and frames > 1:
        yield "animated", f"{frames} frames; the first is used"
    if orientation(image) > 1:
        yield "rotated", f"EXIF orientation {orientation(image)} is applied"
    if image.mode == "CMYK":
        yield "cmyk", "CMYK is converted to RGB without its colour profile"
    if is_deep(image):
        yield "deep-colour", f"mode {image.mode} is scaled to 8 bits"
    if image.has_transparency_data:
        yield "alpha", "transparent pixels are laid on the background"


def _frames(image: Image.Image) -> int:
    try:
        return int(getattr(image, "n_frames", 1))
    except Exception:  # a later frame is damaged; only the first one is used
        return 1


def _box_faults(box: Box, size: tuple[int, int]) -> Iterator[Fault]:
    left, top, right, bottom = box
    width, height = size
    where = f"box {left:g} {top:g} {right:g} {bottom:g} in a picture of {width}×{height}"
    if left >= width or top >= height or right <= 0 or bottom <= 0:
        yield "box-outside", f"{where} holds no pixel of it"
    elif left < 0 or top < 0 or right > width or bottom > height:
        yield "box-beyond-edge", f"{where} is cut at its edges"
