"""CUB-200-2011 (Wah et al. 2011, Caltech-UCSD Birds): 200 species, with boxes and 15 keypoints."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from lookalike.data.benchmarks.benchmark import Benchmark, Published
from lookalike.data.benchmarks.layouts import (
    Layout,
    LayoutContents,
    has,
    has_folders_in,
    image_folders,
    train_test_folders,
)
from lookalike.data.benchmarks.text_lists import lines_of
from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.entries import Box, Entry, Point, count_and_list, listed
from lookalike.errors import CatalogError

TRAIN_CLASSES = 100  # classes 1 to 100 are trained on, 101 to 200 are tested on
OLDER_IMAGES = 6_033  # in CUB-200 of 2010, which has the same number of classes
OLDER_SIGNS = ("lists/splits.mat", "annotations-mat")  # beside images/ in CUB-200 of 2010

HIDDEN = (float("nan"), float("nan"))  # a point that is not visible or that no line gives
CLASS = re.compile(r"([0-9]{3})\..+")
"""A class folder's name: its number and its name."""


def cub(root: str | Path, *, allow_partial: bool = False, closed_set: bool = False) -> Catalog:
    """Read the 11,788 pictures of CUB-200-2011: classes 1–100 are "train", 101–200 "test".

    The official tree has boxes, and the 15 parts of the birds as keypoints. The other layouts have
    neither. Coordinates are those of the files. Arguments and errors are those of
    `Benchmark.load`; the older CUB-200 of 2010 is a `CatalogError` too. The closed set is that of
    `train_test_split.txt`. Its figures cannot be compared with those of metric learning.
    """
    return CUB.load(root, allow_partial=allow_partial, closed_set=closed_set)


def _official(base: Path, closed_set: bool) -> LayoutContents:
    names = _Ids(base / "classes.txt")
    classes = _Ids(base / "image_class_labels.txt")
    training = _Ids(base / "train_test_split.txt") if closed_set else None
    boxes = _boxes(base / "bounding_boxes.txt")
    point_names, points = _keypoints(base / "parts")
    entries = []
    for line, image, path in _rows(base / "images.txt"):
        if training is None:
            split = _split(classes.number(image))
        else:
            split = "train" if training.number(image) else "test"
        label, own = names[classes[image]], points.get(image, ())
        entries.append(
            Entry(f"images/{path}", label, line, split, box=boxes.get(image), keypoints=own)
        )
    return LayoutContents(
        root=base,
        entries=tuple(entries),
        keypoint_names=point_names,
        class_names=tuple(names.values()),
    )


class _Ids(dict[str, str]):
    """The rest of each line of a list by its id; an id that is missing or there twice is an error.

    Args:
        path: The list.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        for number, key, rest in _rows(path):
            if key in self:
                raise CatalogError(f"{path}: line {number}: id {key} is there twice")
            self[key] = rest

    def __missing__(self, key: str) -> str:
        raise CatalogError(
            f"{self.path}: no line for id {key}, which another list names; unpack the archive again"
        )

    def number(self, key: str) -> int:
        """Return an id's whole number."""
        text = self[key]
        if not text.isdecimal():
            raise CatalogError(f"{self.path}: id {key}: expected a whole number, found {text!r}")
        return int(text)


def _rows(path: Path) -> Iterator[tuple[int, str, str]]:
    """Give number, id and rest of each line that is not blank."""
    for number, line in lines_of(path):
        key, _, rest = line.partition(" ")
        if not rest:
            raise CatalogError(f"{path}: line {number}: expected an id and more, found {line!r}")
        yield number, key, rest.lstrip()


def _boxes(path: Path) -> dict[str, Box]:
    """Read the boxes by image ids, if there are any: "id x y width height" becomes edges."""
    boxes: dict[str, Box] = {}
    for line, image, rest in _rows(path) if path.exists() else ():
        left, top, width, height = _numbers(path, line, rest.split(), 4)
        boxes[image] = (left, top, left + width, top + height)
    return boxes


def _keypoints(folder: Path) -> tuple[tuple[str, ...], dict[str, tuple[Point, ...]]]:
    """Read the names of the birds' parts, and their places by image ids, if there are any.

    `parts.txt` has "id name", where a name may have blanks, and `part_locs.txt` has "image_id
    part_id x y visible".
    """
    if not folder.exists():
        return (), {}
    names = _Ids(folder / "parts.txt")
    places = {key: place for place, key in enumerate(names)}
    path = folder / "part_locs.txt"
    points: dict[str, list[Point]] = {}
    for line, image, rest in _rows(path):
        key, *fields = rest.split()
        x, y, visible = _numbers(path, line, fields, 3)
        if key not in places:
            raise CatalogError(f"{path}: line {line}: no part has the id {key} in parts.txt")
        own = points.setdefault(image, [HIDDEN] * len(names))
        if visible:
            own[places[key]] = (x, y)
    return tuple(names.values()), {image: tuple(own) for image, own in points.items()}


def _numbers(path: Path, line: int, fields: Sequence[str], count: int) -> list[float]:
    try:
        numbers = [float(field) for field in fields]
    except ValueError:
        numbers = []
    if len(numbers) != count:
        raise CatalogError(
            f"{path}: line {line}: expected {count} numbers, found {' '.join(fields)!r}"
        )
    return numbers


def _images(base: Path, closed_set: bool) -> LayoutContents:
    instead = "the official tree, which has train_test_split.txt"
    found = image_folders(base, closed_set=closed_set, instead=instead)
    if len(found) == OLDER_IMAGES or any((base / sign).exists() for sign in OLDER_SIGNS):
        raise CatalogError(
            f"{base}: this is the older CUB-200 of 2010 with {OLDER_IMAGES:,} images; get "
            f"CUB-200-2011, whose archive is CUB_200_2011.tgz"
        )
    entries, notes = _of_classes(found)
    split = tuple(entry._replace(split=_split(int(entry.label[:3]))) for entry in entries)
    return LayoutContents(base, split, notes=notes)


def _halves(base: Path, closed_set: bool) -> LayoutContents:
    entries, notes = _of_classes(train_test_folders(base, closed_set=closed_set))
    wrong = {entry.label for entry in entries if entry.split != _split(int(entry.label[:3]))}
    if wrong and not closed_set:
        raise CatalogError(
            f"{base}: classes in the wrong half: {count_and_list(sorted(wrong))}; the "
            f"class-disjoint split has 001 to {TRAIN_CLASSES} in train/ and the others in test/"
        )
    return LayoutContents(base, entries, notes=notes)


def _split(number: int) -> str:
    return "train" if number <= TRAIN_CLASSES else "test"


def _of_classes(entries: tuple[Entry, ...]) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
    """Keep the pictures in folders that are named like a class; name the others in a note."""
    kept = tuple(entry for entry in entries if CLASS.fullmatch(entry.label))
    strays = sorted({entry.label for entry in entries}.difference(each.label for each in kept))
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
