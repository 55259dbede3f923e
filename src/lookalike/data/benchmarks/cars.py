"""Cars-196 (Krause et al. 2013, Stanford): 196 makes, models and years, with boxes."""

import csv
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lookalike.data.benchmarks.benchmark import Benchmark, Published
from lookalike.data.benchmarks.layouts import (
    Layout,
    LayoutContents,
    has,
    has_folders_in,
    image_folders,
    train_test_folders,
)
from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.entries import Entry, count_and_list
from lookalike.errors import CatalogError

TRAIN_CLASSES = 98  # classes 1 to 98 are trained on, 99 to 196 are tested on
LAST_TRAINED = "FIAT 500 Abarth 2012"
"""Class 98. The numbers do not always follow the order of the names. But in ASCII order it is the
98th too, after the same 97 classes."""

CORNERS = ("bbox_x1", "bbox_y1", "bbox_x2", "bbox_y2")
LABELS = "cars_test_annos_withlabels.mat"
KAGGLE_FOLDERS = ("car_data/car_data", "car_data")

CarList = tuple[list[str], Sequence[tuple[str, int, str, Sequence[int]]]]
"""The class names, and of each picture its path, the number of its class from 1, its half in the
official split, and the first and last pixels of its box, counted from 1 as in MATLAB."""


def cars(root: str | Path, *, allow_partial: bool = False, closed_set: bool = False) -> Catalog:
    """Read the 16,185 pictures of Cars-196: classes 1–98 are "train", 99–196 "test".

    Layouts with lists have boxes. Their corners are pixels counted from 1 and become edges.
    Layouts of class folders have no boxes, and their class names may lack the "/" of the official
    ones. Arguments and errors are those of `Benchmark.load`; a test half without classes is a
    `CatalogError` too. The closed set is the official halves. Its figures cannot be compared with
    those of metric learning.
    """
    return CARS.load(root, allow_partial=allow_partial, closed_set=closed_set)


def _listed(read: Callable[[Path], CarList], base: Path, closed_set: bool) -> LayoutContents:
    names, listed = read(base)
    entries = []
    for row, (path, number, half, corners) in enumerate(listed):
        split = "train" if number <= TRAIN_CLASSES else "test"
        left, top, right, bottom = map(float, corners)
        entries.append(
            Entry(
                path=path,
                label=_class_name(names, number, f"{base / path}"),
                row=row,
                split=half if closed_set else split,
                box=(left - 1, top - 1, right, bottom),
            )
        )
    return LayoutContents(base, tuple(entries), class_names=tuple(names))


def _read_single(base: Path) -> CarList:
    """Read `cars_annos.mat`, which lists both halves."""
    path = base / "cars_annos.mat"
    rows = _structs(path, ("relative_im_path", *CORNERS, "class", "test"))
    cars = [
        (picture, number, "test" if test else "train", corners)
        for picture, *corners, number, test in rows
    ]
    return _class_names(path), cars


def _read_devkit(base: Path) -> CarList:
    """Read both halves from `devkit/`; the test half from the list that has its classes."""
    devkit = base / "devkit"
    labels = next((at / LABELS for at in (devkit, base) if (at / LABELS).is_file()), None)
    if labels is None:
        raise CatalogError(
            f"{devkit}: cars_test_annos.mat does not say the classes of the test half; get "
            f"{LABELS} and put it there"
        )
    cars = [
        (f"cars_{half}/{name}", number, half, corners)
        for half, path in (("train", devkit / "cars_train_annos.mat"), ("test", labels))
        for name, *corners, number in _structs(path, ("fname", *CORNERS, "class"))
    ]
    return _class_names(devkit / "cars_meta.mat"), cars


def _read_kaggle(base: Path) -> CarList:
    """Read `names.csv`, which numbers the classes, and the lists of both halves."""
    names = [name for _, (name,) in _csv_rows(base / "names.csv", "a class name", 1)]
    pictures = next((sub for sub in KAGGLE_FOLDERS if (base / sub / "train").is_dir()), "car_data")
    cars = []
    for half in ("train", "test"):
        path = base / f"anno_{half}.csv"
        for line, (file, *fields) in _csv_rows(path, "file,x1,y1,x2,y2,class", 6):
            if not all(field.isdecimal() for field in fields):
                raise CatalogError(f"{path}: line {line}: not whole numbers: {','.join(fields)}")
            *corners, number = map(int, fields)
            folder = _class_name(names, number, f"{path}: line {line}").replace("/", "-")
            cars.append((f"{pictures}/{half}/{folder}/{file}", number, half, corners))
    return names, cars


def _class_name(names: list[str], number: int, where: str) -> str:
    if not 1 <= number <= len(names):
        raise CatalogError(f"{where}: class {number}, but there are names for 1 to {len(names)}")
    return names[number - 1]


def _csv_rows(path: Path, form: str, count: int) -> Iterator[tuple[int, list[str]]]:
    """Give number and fields of each line that is not blank."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file)
            for fields in rows:
                if fields and len(fields) != count:
                    raise CatalogError(
                        f"{path}: line {rows.line_num}: expected {form}, found {','.join(fields)}"
                    )
                if fields:
                    yield rows.line_num, fields
    except OSError as error:
        raise CatalogError(f"{path}: cannot read it: {error.strerror}") from None


def _structs(path: Path, fields: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Give these fields of each item of the 1×N struct array `annotations` of a `.mat` file."""
    structs = np.atleast_1d(_variable(path, "annotations"))
    missing = [field for field in fields if field not in (structs.dtype.names or ())]
    if missing:
        raise CatalogError(f"{path}: annotations has no field {', '.join(missing)}")
    return zip(*(structs[field].tolist() for field in fields), strict=True)


def _class_names(path: Path) -> list[str]:
    """Read the 1×K cell array `class_names` of a `.mat` file."""
    return [str(text) for text in np.atleast_1d(_variable(path, "class_names")).tolist()]


def _variable(path: Path, name: str) -> Any:  # noqa: ANN401 - a .mat file holds anything
    from scipy.io import loadmat

    try:
        variables = loadmat(path, squeeze_me=True, variable_names=[name])
    except FileNotFoundError:
        raise CatalogError(f"{path}: there is no such file") from None
    except Exception as error:  # damaged files fail in many ways
        raise CatalogError(f"{path}: not a .mat file that can be read: {error}") from error
    if name not in variables:
        raise CatalogError(f"{path}: it has no variable {name!r}")
    return variables[name]


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


CARS = Benchmark(
    title="Cars-196",
    published=(Published("train", 8_054, 98), Published("test", 8_131, 98)),
    layouts=(
        Layout(
            "official tree (cars_annos.mat, car_ims/)",
            has("cars_annos.mat", "car_ims"),
            partial(_listed, _read_single),
        ),
        Layout(
            "official devkit (devkit/cars_train_annos.mat, cars_train/, cars_test/)",
            has("devkit/cars_train_annos.mat", "cars_train"),
            partial(_listed, _read_devkit),
        ),
        Layout(
            "Kaggle tree (names.csv, anno_train.csv, anno_test.csv, car_data/)",
            lambda at: has("anno_train.csv")(at) or has("car_data/car_data/train")(at),
            partial(_listed, _read_kaggle),
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
