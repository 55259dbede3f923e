"""CUB-200-2011 (Wah et al. 2011, Caltech-UCSD Birds): 200 species, with boxes and 15 keypoints."""

import re
from pathlib import Path

from lookalike.data.benchmarks.benchmark import Benchmark
from lookalike.data.benchmarks.cub_lists import (
    read_boxes,
    read_ids,
    read_keypoints,
    read_rows,
)
from lookalike.data.benchmarks.layouts import (
    Layout,
    LayoutContents,
    has,
    has_folders_in,
    image_folders,
    train_test_folders,
)
from lookalike.data.benchmarks.report import Published
from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.entries import Entry
from lookalike.data.catalog.messages import count_and_list, listed
from lookalike.errors import CatalogError

TRAIN_CLASSES = 100  # classes 1 to 100 are trained on, 101 to 200 are tested on
OLDER_IMAGES = 6_033  # in CUB-200 of 2010, which has the same number of classes
OLDER_SIGNS = ("lists/splits.mat", "annotations-mat")  # beside images/ in CUB-200 of 2010

BOXES, KEYPOINTS = "bounding_boxes.txt", "parts"
CLASS = re.compile(r"([0-9]{3})\..+")
"""A class folder's name: its number and its name."""


def cub(root: str | Path, *, allow_partial: bool = False, closed_set: bool = False) -> Catalog:
    """Read the 11,788 pictures of CUB-200-2011: classes 1–100 are "train", 101–200 "test".

    The official tree has boxes, and the 15 parts of the birds as keypoints. The other layouts have
    neither. Coordinates are those of the files.

    Args:
        root: As in `Benchmark.load`.
        allow_partial: Warn about missing files and counts other than the published ones, and use
            what is there.
        closed_set: Split by `train_test_split.txt` instead, which has every class on both sides.
            Its figures cannot be compared with those of metric learning.

    Raises:
        CatalogError: As in `Benchmark.load`, or it is the older CUB-200 of 2010.
    """
    return CUB.load(root, allow_partial=allow_partial, closed_set=closed_set)


def _official(base: Path, closed_set: bool) -> LayoutContents:
    names = read_ids(base / "classes.txt")
    classes = read_ids(base / "image_class_labels.txt")
    training = read_ids(base / "train_test_split.txt") if closed_set else None
    boxes = read_boxes(base / BOXES) if has(BOXES)(base) else {}
    point_names, points = read_keypoints(base / KEYPOINTS) if has(KEYPOINTS)(base) else ((), {})
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
                keypoints=points.get(image, ()),
            )
        )
    return LayoutContents(
        root=base,
        entries=tuple(entries),
        keypoint_names=point_names,
        class_names=tuple(names.values.values()),
    )


def _images(base: Path, closed_set: bool) -> LayoutContents:
    instead = "the official tree, which has train_test_split.txt"
    found = image_folders(base, closed_set=closed_set, instead=instead)
    if len(found) == OLDER_IMAGES or any((base / sign).exists() for sign in OLDER_SIGNS):
        raise CatalogError(
            f"{base}: this is the older CUB-200 of 2010 with {OLDER_IMAGES:,} images; get "
            f"CUB-200-2011, whose archive is CUB_200_2011.tgz"
        )
    entries, notes = _of_classes(found)
    split = tuple(entry._replace(split=_split_of(entry.label)) for entry in entries)
    return LayoutContents(base, split, notes=notes)


def _halves(base: Path, closed_set: bool) -> LayoutContents:
    entries, notes = _of_classes(train_test_folders(base, closed_set=closed_set))
    wrong = {entry.label for entry in entries if entry.split != _split_of(entry.label)}
    if wrong and not closed_set:
        raise CatalogError(
            f"{base}: classes in the wrong half: {count_and_list(sorted(wrong))}; the "
            f"class-disjoint split has 001 to {TRAIN_CLASSES} in train/ and the others in test/"
        )
    return LayoutContents(base, entries, notes=notes)


def _split(number: int) -> str:
    return "train" if number <= TRAIN_CLASSES else "test"


def _split_of(label: str) -> str:
    return _split(int(label[:3]))


def _of_classes(entries: tuple[Entry, ...]) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
    """Keep the pictures in folders that are named like a class; name the others in a note."""
    kept = tuple(entry for entry in entries if CLASS.fullmatch(entry.label))
    strays = sorted({entry.label for entry in entries if not CLASS.fullmatch(entry.label)})
    note = f"folders that are not named like a class, passed over: {listed(strays)}"
    return kept, (note,) if strays else ()


CUB = Benchmark(
    title="CUB-200-2011",
    published=(Published("train", 5_864, 100), Published("test", 5_924, 100)),
    layouts=(
        Layout(
            "official tree (images.txt, image_class_labels.txt, images/)",
            has("images.txt", "image_class_labels.txt"),
            _official,
        ),
        Layout(
            "class folders (images/001.Black_footed_Albatross/)",
            has_folders_in("images", named=CLASS),
            _images,
        ),
        Layout(
            "train and test folders (train/001.Black_footed_Albatross/)",
            has_folders_in("train", "test", named=CLASS),
            _halves,
        ),
    ),
    source=(
        "CaltechDATA, CUB_200_2011.tgz; pictures from Flickr, "
        "their rights with their photographers, for research and teaching"
    ),
    closed_set=(Published("train", 5_994, 200), Published("test", 5_794, 200)),
)
