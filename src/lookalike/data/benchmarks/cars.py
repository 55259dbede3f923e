"""Cars-196 (Krause et al. 2013, Stanford): 196 makes, models and years, with boxes."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from lookalike.data.benchmarks.benchmark import Benchmark, Found, Published
from lookalike.data.benchmarks.cars_lists import (
    CarList,
    class_name,
    read_devkit,
    read_kaggle,
    read_single,
)
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
from lookalike.data.catalog.entries import Entry, counted
from lookalike.errors import CatalogError

TRAIN_CLASSES = 98  # classes 1 to 98 are trained on, 99 to 196 are tested on
LAST_TRAINED = "FIAT 500 Abarth 2012"
"""Class 98. Numbers do not follow the order of the names everywhere, but in ASCII order, too, it
is the 98th, and the 97 classes before it are the same ones."""

SINGLE = "official tree (cars_annos.mat, car_ims/)"
DEVKIT = "official devkit (devkit/cars_train_annos.mat, cars_train/, cars_test/)"
KAGGLE = "Kaggle tree (names.csv, anno_train.csv, anno_test.csv, car_data/)"
IMAGES = "class folders (images/Acura RL Sedan 2012/)"
HALVES = "train and test folders (train/Acura RL Sedan 2012/)"


def cars(root: str | Path, *, allow_partial: bool = False, closed_set: bool = False) -> Catalog:
    """Read Cars-196: classes 1–98 are the split "train", 99–196 "test", from both official halves.

    Layouts with lists bring boxes; their corners, pixels counted from 1, become edges. Layouts of
    class folders have no boxes, and their class names may lack the "/" of the official ones.

    Args:
        root: The folder that holds a known layout, or the folder above that.
        allow_partial: Warn of missing files and other counts than the published 16,185 pictures
            instead of refusing them, and use what is there.
        closed_set: Split into the official halves, which have every class on both sides, instead;
            its figures cannot be compared with those of metric learning.

    Raises:
        CatalogError: No known layout, no classes for the test half, files missing, or other
            counts.
    """
    return load(CARS, root, allow_partial=allow_partial, closed_set=closed_set)


def _read(root: Path, closed_set: bool) -> Found:
    return read_layout(CARS.title, root, LAYOUTS, closed_set=closed_set)


def _listed(layout: str, read: Callable[[Path], CarList], base: Path, closed_set: bool) -> Found:
    names, found = read(base)
    entries = []
    for row, car in enumerate(found):
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
    return Found(layout, base, tuple(entries), class_names=tuple(names))


def _images(base: Path, closed_set: bool) -> Found:
    if closed_set:
        raise CatalogError(
            f"{base}: {IMAGES} do not say what the closed-set split is; pass a layout with lists"
        )
    entries = tuple(
        entry._replace(split="train" if _is_trained(entry.label) else "test")
        for entry in class_folders(base, {"images": None})
    )
    note = (
        f"classes are known by the names of their folders; those up to {LAST_TRAINED!r} in ASCII "
        f"order are trained on, which are the official classes 1 to {TRAIN_CLASSES}"
    )
    return Found(IMAGES, base, entries, notes=(note,))


def _halves(base: Path, closed_set: bool) -> Found:
    entries = train_test_folders(base, closed_set=closed_set)
    notes = ["classes are known by the names of their folders"]
    wrong = {
        entry.label for entry in entries if (entry.split == "train") != _is_trained(entry.label)
    }
    if wrong and not closed_set:
        notes.append(
            f"by their names, these classes are in the wrong half: {counted(sorted(wrong))}; if "
            f"the names are the official ones, figures are not comparable"
        )
    return Found(HALVES, base, entries, notes=tuple(notes))


def _is_trained(folder: str) -> bool:
    return folder.replace("_", " ") <= LAST_TRAINED


def _is_kaggle(folder: Path) -> bool:
    return has("anno_train.csv")(folder) or has("car_data/car_data/train")(folder)


def _holds_folders(*subs: str) -> Callable[[Path], bool]:
    return lambda folder: all(folder_names(folder / sub) for sub in subs)


LAYOUTS = (
    Layout(SINGLE, has("cars_annos.mat", "car_ims"), partial(_listed, SINGLE, read_single)),
    Layout(
        DEVKIT,
        has("devkit/cars_train_annos.mat", "cars_train"),
        partial(_listed, DEVKIT, read_devkit),
    ),
    Layout(KAGGLE, _is_kaggle, partial(_listed, KAGGLE, read_kaggle)),
    Layout(IMAGES, _holds_folders("images"), _images),
    Layout(HALVES, _holds_folders("train", "test"), _halves),
)

CARS = Benchmark(
    title="Cars-196",
    published=(Published("train", 8_054, 98), Published("test", 8_131, 98)),
    read=_read,
    source=(
        "Stanford's page is gone since 2023; copies keep its names, e.g. cars_annos.mat with "
        "car_ims.tgz; for research, not for commercial use"
    ),
    closed_set=(Published("train", 8_144, 196), Published("test", 8_041, 196)),
)
