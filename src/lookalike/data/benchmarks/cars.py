"""Cars-196 (Krause et al. 2013, Stanford): 196 makes, models and years, with boxes."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from lookalike.data.benchmarks.benchmark import Benchmark
from lookalike.data.benchmarks.cars_lists import (
    CarList,
    class_name,
    read_devkit,
    read_kaggle,
    read_single,
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
from lookalike.data.catalog.messages import count_and_list

TRAIN_CLASSES = 98  # classes 1 to 98 are trained on, 99 to 196 are tested on
LAST_TRAINED = "FIAT 500 Abarth 2012"
"""Class 98. The numbers do not always follow the order of the names. But in ASCII order it is the
98th too, after the same 97 classes."""


def cars(root: str | Path, *, allow_partial: bool = False, closed_set: bool = False) -> Catalog:
    """Read the 16,185 pictures of Cars-196: classes 1–98 are "train", 99–196 "test".

    Layouts with lists have boxes. Their corners are pixels counted from 1 and become edges.
    Layouts of class folders have no boxes, and their class names may lack the "/" of the official
    ones.

    Args:
        root: As in `Benchmark.load`.
        allow_partial: Warn about missing files and counts other than the published ones, and use
            what is there.
        closed_set: Split into the official halves instead, which have every class on both sides.
            Its figures cannot be compared with those of metric learning.

    Raises:
        CatalogError: As in `Benchmark.load`, or the test half has no classes.
    """
    return CARS.load(root, allow_partial=allow_partial, closed_set=closed_set)


def _listed(read: Callable[[Path], CarList], base: Path, closed_set: bool) -> LayoutContents:
    names, cars_listed = read(base)
    entries = []
    for row, car in enumerate(cars_listed):
        split = "train" if car.number <= TRAIN_CLASSES else "test"
        entries.append(
            Entry(
                path=car.path,
                label=class_name(names, car.number, f"{base / car.path}"),
                row=row,
                split=car.half if closed_set else split,
                box=car.box,
            )
        )
    return LayoutContents(base, tuple(entries), class_names=tuple(names))


def _images(base: Path, closed_set: bool) -> LayoutContents:
    found = image_folders(base, closed_set=closed_set, instead="a layout with lists")
    entries = tuple(entry._replace(split=_split_of(entry.label)) for entry in found)
    note = (
        f"classes are known by the names of their folders; those up to {LAST_TRAINED!r} in ASCII "
        f"order are trained on, which are the official classes 1 to {TRAIN_CLASSES}"
    )
    return LayoutContents(base, entries, notes=(note,))


def _halves(base: Path, closed_set: bool) -> LayoutContents:
    entries = train_test_folders(base, closed_set=closed_set)
    notes = ["classes are known by the names of their folders"]
    wrong = {entry.label for entry in entries if entry.split != _split_of(entry.label)}
    if wrong and not closed_set:
        notes.append(
            f"by their names, these classes are in the wrong half: {count_and_list(sorted(wrong))};"
            f" if the names are the official ones, figures are not comparable"
        )
    return LayoutContents(base, entries, notes=tuple(notes))


def _split_of(folder: str) -> str:
    return "train" if folder.replace("_", " ") <= LAST_TRAINED else "test"


def _is_kaggle(folder: Path) -> bool:
    return has("anno_train.csv")(folder) or has("car_data/car_data/train")(folder)


CARS = Benchmark(
    title="Cars-196",
    published=(Published("train", 8_054, 98), Published("test", 8_131, 98)),
    layouts=(
        Layout(
            "official tree (cars_annos.mat, car_ims/)",
            has("cars_annos.mat", "car_ims"),
            partial(_listed, read_single),
        ),
        Layout(
            "official devkit (devkit/cars_train_annos.mat, cars_train/, cars_test/)",
            has("devkit/cars_train_annos.mat", "cars_train"),
            partial(_listed, read_devkit),
        ),
        Layout(
            "Kaggle tree (names.csv, anno_train.csv, anno_test.csv, car_data/)",
            _is_kaggle,
            partial(_listed, read_kaggle),
        ),
        Layout("class folders (images/Acura RL Sedan 2012/)", has_folders_in("images"), _images),
        Layout(
            "train and test folders (train/Acura RL Sedan 2012/)",
            has_folders_in("train", "test"),
            _halves,
        ),
    ),
    source=(
        "Stanford's page is gone since 2023; copies keep its names, e.g. cars_annos.mat with "
        "car_ims.tgz; for research, not for commercial use"
    ),
    closed_set=(Published("train", 8_144, 196), Published("test", 8_041, 196)),
)
