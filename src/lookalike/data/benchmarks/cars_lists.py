"""Reading the lists that come with Cars-196: MATLAB files, or the CSV files of a copy.

A file that is missing or not the official one, and a line that is bad, are a `CatalogError`.
"""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lookalike.data.catalog.entries import Box
from lookalike.errors import CatalogError

CORNERS = ("bbox_x1", "bbox_y1", "bbox_x2", "bbox_y2")
LABELS = "cars_test_annos_withlabels.mat"
KAGGLE_FOLDERS = ("car_data/car_data", "car_data")


class Car(NamedTuple):
    """One picture in the lists.

    Args:
        path: Relative to the layout's folder.
        number: Of its class, from 1.
        half: "train" or "test" in the official split, which has every class on both sides.
        box: Left, top, right, bottom.
    """

    path: str
    number: int
    half: str
    box: Box


class CarList(NamedTuple):
    """The lists of one layout; class k is called `class_names[k - 1]`."""

    class_names: list[str]
    cars: list[Car]


def read_single(base: Path) -> CarList:
    """Read `cars_annos.mat`, which lists both halves."""
    path = base / "cars_annos.mat"
    columns = _structs(path, "annotations", ("relative_im_path", *CORNERS, "class", "test"))
    rows = zip(*columns.values(), strict=True)
    cars = [
        Car(picture, number, "test" if test else "train", _box(corners))
        for picture, *corners, number, test in rows
    ]
    return CarList(_texts(path, "class_names"), cars)


def read_devkit(base: Path) -> CarList:
    """Read both halves from `devkit/`; the test half from the list that has its classes."""
    devkit = base / "devkit"
    labels = next((at / LABELS for at in (devkit, base) if (at / LABELS).is_file()), None)
    if labels is None:
        raise CatalogError(
            f"{devkit}: cars_test_annos.mat does not say the classes of the test half; get "
            f"{LABELS} and put it there"
        )
    cars = []
    for half, path in (("train", devkit / "cars_train_annos.mat"), ("test", labels)):
        columns = _structs(path, "annotations", ("fname", *CORNERS, "class"))
        cars += [
            Car(f"cars_{half}/{name}", number, half, _box(corners))
            for name, *corners, number in zip(*columns.values(), strict=True)
        ]
    return CarList(_texts(devkit / "cars_meta.mat", "class_names"), cars)


def read_kaggle(base: Path) -> CarList:
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
            folder = class_name(names, number, f"{path}: line {line}").replace("/", "-")
            cars.append(Car(f"{pictures}/{half}/{folder}/{file}", number, half, _box(corners)))
    return CarList(names, cars)


def class_name(names: list[str], number: int, where: str) -> str:
    """Return the name of class `number`, counted from 1; `where` is for the error if none is."""
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


def _box(corners: Sequence[int]) -> Box:
    """Turn a box's first and last pixels, counted from 1 as in MATLAB, into its edges."""
    left, top, right, bottom = map(float, corners)
    return (left - 1, top - 1, right, bottom)


def _structs(path: Path, variable: str, fields: Sequence[str]) -> dict[str, list[Any]]:
    """Read fields of a 1×N struct array of a `.mat` file, each as a list of N values."""
    structs = np.atleast_1d(_variable(path, variable))
    missing = [field for field in fields if field not in (structs.dtype.names or ())]
    if missing:
        raise CatalogError(f"{path}: {variable} has no field {', '.join(missing)}")
    return {field: structs[field].tolist() for field in fields}


def _texts(path: Path, variable: str) -> list[str]:
    """Read a 1×K cell array of texts of a `.mat` file."""
    return [str(text) for text in np.atleast_1d(_variable(path, variable)).tolist()]


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
