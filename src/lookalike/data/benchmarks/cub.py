"""CUB-200-2011 (Wah et al. 2011, Caltech-UCSD Birds): 200 species, with boxes and 15 parts."""

import re
from collections.abc import Callable
from pathlib import Path

from lookalike.data.benchmarks.benchmark import Benchmark, Found, Published
from lookalike.data.benchmarks.cub_lists import read_boxes, read_column, read_parts, read_rows
from lookalike.data.benchmarks.layouts import (
    Layout,
    class_folders,
    folder_names,
    has,
    read_layout,
    train_test_folders,
)
from lookalike.data.benchmarks.read import load
from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.entries import Entry, counted, listed
from lookalike.errors import CatalogError

TRAIN_CLASSES = 100  # classes 1 to 100 are trained on, 101 to 200 are tested on
OLDER_IMAGES = 6_033  # in the CUB-200 of 2010, which has as many classes
OLDER_SIGNS = ("lists/splits.mat", "annotations-mat")  # it comes with these, beside images/

OFFICIAL = "official tree (images.txt, image_class_labels.txt, images/)"
IMAGES = "class folders (images/001.Black_footed_Albatross/)"
HALVES = "train and test folders (train/001.Black_footed_Albatross/)"

BOXES, PARTS = "bounding_boxes.txt", "parts"
CLASS = re.compile(r"([0-9]{3})\..+")
"""What a class folder is called: its number and its name."""


def cub(root: str | Path, *, allow_partial: bool = False, closed_set: bool = False) -> Catalog:
    """Read CUB-200-2011: classes 1–100 are the split "train", 101–200 "test".

    The official tree brings boxes and the 15 parts as keypoints; the other layouts have neither.
    Coordinates are those of the files.

    Args:
        root: The folder that holds a known layout, or the folder above that.
        allow_partial: Warn of missing files and other counts than the published 11,788 pictures
            instead of refusing them, and use what is there.
        closed_set: Split by `train_test_split.txt`, which has every class on both sides, instead;
            its figures cannot be compared with those of metric learning.

    Raises:
        CatalogError: No known layout, the older CUB-200 of 2010, files missing, or other counts.
    """
    return load(CUB, root, allow_partial=allow_partial, closed_set=closed_set)


def _read(root: Path, closed_set: bool) -> Found:
    return read_layout(CUB.title, root, LAYOUTS, closed_set=closed_set)


def _official(base: Path, closed_set: bool) -> Found:
    names = read_column(base / "classes.txt")
    classes = read_column(base / "image_class_labels.txt")
    training = read_column(base / "train_test_split.txt") if closed_set else None
    boxes = read_boxes(base / BOXES) if has(BOXES)(base) else {}
    part_names, parts = read_parts(base / PARTS) if has(PARTS)(base) else ((), {})
    entries = []
    for line, image, path in read_rows(base / "images.txt"):
        if training is None:
            split = _split(classes.number(image))
        else:
            split = "train" if training.number(image) else "test"
        entries.append(
            Entry(
                path=f"images/{path}",
                label=names[classes[image]],
                row=line,
                split=split,
                box=boxes.get(image),
                keypoints=parts.get(image, ()),
            )
        )
    return Found(
        layout=OFFICIAL,
        root=base,
        entries=tuple(entries),
        keypoint_names=part_names,
        class_names=tuple(names.values.values()),
    )


def _images(base: Path, closed_set: bool) -> Found:
    if closed_set:
        raise CatalogError(
            f"{base}: {IMAGES} do not say what the closed-set split is; pass the official tree, "
            f"which has train_test_split.txt"
        )
    found = class_folders(base, {"images": None})
    if len(found) == OLDER_IMAGES or any((base / sign).exists() for sign in OLDER_SIGNS):
        raise CatalogError(
            f"{base}: this is the older CUB-200 of 2010 with {OLDER_IMAGES:,} images; get "
            f"CUB-200-2011, whose archive is CUB_200_2011.tgz"
        )
    numbered, notes = _numbered(found)
    entries = tuple(entry._replace(split=_split(number)) for number, entry in numbered)
    return Found(IMAGES, base, entries, notes=notes)


def _halves(base: Path, closed_set: bool) -> Found:
    numbered, notes = _numbered(train_test_folders(base, closed_set=closed_set))
    wrong = {entry.label for number, entry in numbered if entry.split != _split(number)}
    if wrong and not closed_set:
        raise CatalogError(
            f"{base}: classes in the wrong half: {counted(sorted(wrong))}; the class-disjoint "
            f"split has 001 to {TRAIN_CLASSES} in train/ and the others in test/"
        )
    return Found(HALVES, base, tuple(entry for _, entry in numbered), notes=notes)


def _split(number: int) -> str:
    return "train" if number <= TRAIN_CLASSES else "test"


def _numbered(entries: tuple[Entry, ...]) -> tuple[list[tuple[int, Entry]], tuple[str, ...]]:
    """Give each picture its class folder's number; those of other folders are noted, not used."""
    numbered = []
    strays = set()
    for entry in entries:
        if match := CLASS.fullmatch(entry.label):
            numbered.append((int(match[1]), entry))
        else:
            strays.add(entry.label)
    note = f"folders not called like a class, passed over: {listed(sorted(strays))}"
    return numbered, (note,) if strays else ()


def _holds_classes(*subs: str) -> Callable[[Path], bool]:
    """Return a test of a folder for class folders, called like 001.name, in all of its `subs`."""
    return lambda folder: all(
        any(CLASS.fullmatch(name) for name in folder_names(folder / sub)) for sub in subs
    )


LAYOUTS = (
    Layout(OFFICIAL, has("images.txt", "image_class_labels.txt"), _official),
    Layout(IMAGES, _holds_classes("images"), _images),
    Layout(HALVES, _holds_classes("train", "test"), _halves),
)

CUB = Benchmark(
    title="CUB-200-2011",
    published=(Published("train", 5_864, 100), Published("test", 5_924, 100)),
    read=_read,
    source=(
        "CaltechDATA, CUB_200_2011.tgz; pictures from Flickr, "
        "their rights with their photographers, for research and teaching"
    ),
    closed_set=(Published("train", 5_994, 200), Published("test", 5_794, 200)),
)
