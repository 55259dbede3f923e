"""Cars-196 on miniatures in its real formats."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from lookalike.data.benchmarks.cars import CARS, LAST_TRAINED, cars
from lookalike.data.benchmarks.layouts import LayoutContents, read_layout
from lookalike.data.catalog.catalog import Catalog
from lookalike.errors import CatalogError

# Numbers do not follow the order of the names: class 1 sorts before class 2 only by capitals.
NAMES = [f"Make {number:03}" for number in range(1, 197)]
NAMES[0], NAMES[1] = "AM General Hummer SUV 2000", "Acura RL Sedan 2012"
NAMES[96], NAMES[97] = "Eagle Talon Hatchback 1998", "FIAT 500 Abarth 2012"
NAMES[98], NAMES[99] = "FIAT 500 Convertible 2012", "Ferrari FF Coupe 2012"
NAMES[100] = "Ferrari California Convertible 2012"  # before FF by name, after it by number
NAMES[173] = "Ram C/V Cargo Van Minivan 2012"
NAMES[195] = "smart fortwo Convertible 2012"

# Class, and whether it is in the official test half; corners of its box, pixels counted from 1.
CARS_LISTED = [
    (1, False, (1, 1, 10, 20)),
    (98, True, (39, 116, 569, 375)),
    (99, False, (36, 116, 868, 587)),
    (174, True, (85, 109, 601, 381)),
    (101, True, (621, 393, 1484, 1096)),
]
DISJOINT = ["train", "train", "test", "test", "test"]
CLOSED = ["train", "test", "train", "test", "test"]


def plant(root: Path, *files: str) -> Path:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return root


def structs(rows: list[tuple[object, ...]], fields: list[str]) -> np.ndarray:
    """Return a 1×N struct array as MATLAB keeps it: each value in an array of its own."""
    array = np.empty((1, len(rows)), dtype=[(field, object) for field in fields])
    for i, row in enumerate(rows):
        array[0, i] = tuple(
            value if isinstance(value, str) else np.array([[value]], np.uint16) for value in row
        )
    return array


def cell(texts: list[str]) -> np.ndarray:
    array = np.empty((1, len(texts)), object)
    array[0, :] = texts
    return array


CORNERS = ["bbox_x1", "bbox_y1", "bbox_x2", "bbox_y2"]


def single(root: Path, *, names: list[str] = NAMES) -> Path:
    """Write cars_annos.mat and car_ims/."""
    rows = [
        (f"car_ims/{i:06}.jpg", *corners, number, int(test))
        for i, (number, test, corners) in enumerate(CARS_LISTED, start=1)
    ]
    plant(root, *(str(row[0]) for row in rows))
    annotations = structs(rows, ["relative_im_path", *CORNERS, "class", "test"])
    savemat(root / "cars_annos.mat", {"annotations": annotations, "class_names": cell(names)})
    return root


def devkit(root: Path, labels: str | None = "devkit/cars_test_annos_withlabels.mat") -> Path:
    """Write the devkit, with the list that has the test half's classes where `labels` says."""
    (root / "devkit").mkdir(parents=True)
    savemat(root / "devkit" / "cars_meta.mat", {"class_names": cell(NAMES)})
    for half, wanted in (("train", False), ("test", True)):
        listed = [(number, corners) for number, test, corners in CARS_LISTED if test == wanted]
        rows = [
            (*corners, number, f"{i:05}.jpg") for i, (number, corners) in enumerate(listed, start=1)
        ]
        plant(root, *(f"cars_{half}/{row[-1]}" for row in rows))
        labelled = {"annotations": structs(rows, [*CORNERS, "class", "fname"])}
        if half == "train":
            savemat(root / "devkit" / "cars_train_annos.mat", labelled)
            continue
        bare = [(*row[:4], row[-1]) for row in rows]
        savemat(
            root / "devkit" / "cars_test_annos.mat",
            {"annotations": structs(bare, [*CORNERS, "fname"])},
        )
        if labels is not None:
            savemat(root / labels, labelled)
    return root


def kaggle(root: Path, pictures: str = "car_data/car_data") -> Path:
    """Write names.csv, the lists of both halves, and folders of classes with "/" as "-"."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "names.csv").write_text("".join(f"{name}\n" for name in NAMES))
    lists: dict[str, list[str]] = {"train": [], "test": []}
    for number, test, corners in CARS_LISTED:
        half = "test" if test else "train"
        file = f"{len(lists[half]) + 1:05}.jpg"
        lists[half].append(",".join(map(str, (file, *corners, number))))
        plant(root, f"{pictures}/{half}/{NAMES[number - 1].replace('/', '-')}/{file}")
    for half, lines in lists.items():
        (root / f"anno_{half}.csv").write_text("\r\n".join(lines) + "\r\n")
    return root


def read(root: Path, *, closed_set: bool = False) -> LayoutContents:
    return read_layout(CARS.title, root, CARS.layouts, closed_set=closed_set)


def partial(root: Path) -> Catalog:
    with pytest.warns(UserWarning, match="not the Cars-196 of the literature"):
        return cars(root, allow_partial=True)


def in_order(found: LayoutContents) -> list[tuple[str, str | None]]:
    """Return classes and splits in the order of CARS_LISTED, which the halves interleave."""
    order = {NAMES[number - 1]: i for i, (number, _, _) in enumerate(CARS_LISTED)}
    return sorted(
        ((entry.label, entry.split) for entry in found.entries), key=lambda pair: order[pair[0]]
    )


LISTED = [NAMES[number - 1] for number, _, _ in CARS_LISTED]


@pytest.mark.parametrize("write", [single, devkit, kaggle])
@pytest.mark.parametrize("folder", ["", "cars"])
def test_layouts_with_lists(tmp_path, write, folder):
    write(tmp_path / folder)
    found = read(tmp_path)
    assert found.root == tmp_path / folder
    assert in_order(found) == list(zip(LISTED, DISJOINT, strict=True))
    assert in_order(read(tmp_path, closed_set=True)) == list(zip(LISTED, CLOSED, strict=True))
    assert found.class_names == tuple(NAMES)
    boxes = {entry.label: entry.box for entry in found.entries}
    assert boxes["AM General Hummer SUV 2000"] == (0, 0, 10, 20)
    assert boxes["FIAT 500 Abarth 2012"] == (38, 115, 569, 375)
    assert [entry.row for entry in found.entries] == [0, 1, 2, 3, 4]
    assert all((found.root / entry.path).is_file() for entry in found.entries)


def test_layouts_are_named(tmp_path):
    single(tmp_path / "a")
    devkit(tmp_path / "b")
    kaggle(tmp_path / "c")
    assert read(tmp_path / "a").layout == "official tree (cars_annos.mat, car_ims/)"
    assert read(tmp_path / "b").layout.startswith("official devkit (devkit/cars_train_annos.mat")
    assert read(tmp_path / "c").layout.startswith("Kaggle tree (names.csv, anno_train.csv")
    both = read(tmp_path)
    assert both.root == tmp_path / "a"
    assert [note.split(" (")[0] for note in both.notes] == [
        "also there, not used: official devkit",
        "also there, not used: Kaggle tree",
    ]


def test_paths_of_the_single_list_are_used_as_they_are(tmp_path):
    assert read(single(tmp_path)).entries[3].path == "car_ims/000004.jpg"


def test_classes_keep_their_official_numbers(tmp_path):
    catalog = partial(single(tmp_path))
    assert catalog.class_names == (
        "AM General Hummer SUV 2000",
        "FIAT 500 Abarth 2012",
        "FIAT 500 Convertible 2012",
        "Ferrari California Convertible 2012",
        "Ram C/V Cargo Van Minivan 2012",
    )
    np.testing.assert_array_equal(catalog.labels, [0, 1, 2, 4, 3])
    np.testing.assert_array_equal(catalog.boxes[2], [35, 115, 868, 587])
    assert catalog.keypoints.shape == (5, 0, 2)


def test_the_list_of_one_picture(tmp_path, monkeypatch):
    monkeypatch.setattr(f"{__name__}.CARS_LISTED", CARS_LISTED[:1])
    (entry,) = read(single(tmp_path)).entries
    assert (entry.path, entry.label) == ("car_ims/000001.jpg", "AM General Hummer SUV 2000")


def test_the_devkit_needs_the_classes_of_its_test_half(tmp_path):
    devkit(tmp_path / "a", labels=None)
    with pytest.raises(CatalogError, match=r"get cars_test_annos_withlabels\.mat and put it there"):
        cars(tmp_path / "a", allow_partial=True)
    beside = devkit(tmp_path / "b", labels="cars_test_annos_withlabels.mat")
    assert in_order(read(beside)) == list(zip(LISTED, DISJOINT, strict=True))


def test_the_kaggle_tree_may_have_one_folder_less(tmp_path):
    found = read(kaggle(tmp_path, "car_data"))
    paths = {entry.label: entry.path for entry in found.entries}
    assert paths["Ram C/V Cargo Van Minivan 2012"] == (
        "car_data/test/Ram C-V Cargo Van Minivan 2012/00002.jpg"
    )


@pytest.mark.parametrize("name", ["names.csv", "anno_train.csv", "anno_test.csv"])
def test_the_kaggle_tree_needs_all_of_its_lists(tmp_path, name):
    (kaggle(tmp_path) / name).unlink()
    with pytest.raises(CatalogError, match=rf"{name}: cannot read it"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1.jpg,1,1,5,5", r"line 1: expected file,x1,y1,x2,y2,class, found 1\.jpg,1,1,5,5"),
        ("1.jpg,1,1,5,5,x", "line 1: not whole numbers: 1,1,5,5,x"),
        ("1.jpg,1,1,5,5,0", "line 1: class 0, but there are names for 1 to 196"),
        ("1.jpg,1,1,5,5,197", "line 1: class 197, but there are names for 1 to 196"),
    ],
)
def test_bad_lines_of_the_kaggle_tree_are_named(tmp_path, line, message):
    (kaggle(tmp_path) / "anno_test.csv").write_text(f"{line}\n")
    with pytest.raises(CatalogError, match=rf"anno_test\.csv: {message}"):
        read(tmp_path)


def test_bad_mat_files_are_named(tmp_path):
    mat = single(tmp_path) / "cars_annos.mat"
    savemat(mat, {"annotations": structs([("a.jpg", 1)], ["relative_im_path", "class"])})
    with pytest.raises(CatalogError, match=r"annotations has no field bbox_x1, bbox_y1, .*, test"):
        read(tmp_path)
    savemat(mat, {"other": 1})
    with pytest.raises(CatalogError, match=r"cars_annos\.mat: it has no variable 'annotations'"):
        read(tmp_path)
    mat.write_bytes(b"no such format" * 20)
    with pytest.raises(CatalogError, match=r"cars_annos\.mat: not a \.mat file that can be read"):
        read(tmp_path)


def test_names_must_differ_and_reach(tmp_path):
    single(tmp_path / "a", names=NAMES[:173])
    with pytest.raises(CatalogError, match=r"000004\.jpg: class 174, .* names for 1 to 173"):
        read(tmp_path / "a")
    doubled = single(tmp_path / "b", names=[*NAMES[:195], NAMES[0]])
    with pytest.raises(CatalogError, match="class names are there twice: AM General Hummer"):
        partial(doubled)


def test_class_folders_are_split_by_their_names(tmp_path):
    folders = [name.replace("/", "") for name in NAMES]
    plant(tmp_path / "cars196" / "images", *(f"{name}/1.jpg" for name in folders))
    found = read(tmp_path)
    assert found.root == tmp_path / "cars196"
    train = {entry.label for entry in found.entries if entry.split == "train"}
    assert LAST_TRAINED in train
    assert not train & {"FIAT 500 Convertible 2012", "Ferrari FF Coupe 2012"}
    assert "smart fortwo Convertible 2012" not in train
    assert any("official classes 1 to 98" in note for note in found.notes)
    with pytest.raises(CatalogError, match="do not say what the closed-set split is"):
        read(tmp_path, closed_set=True)


def test_class_folders_with_underscores_for_blanks(tmp_path):
    plant(tmp_path / "images", "FIAT_500_Abarth_2012/1.jpg", "FIAT_500_Convertible_2012/1.jpg")
    assert [entry.split for entry in read(tmp_path).entries] == ["train", "test"]


def test_train_and_test_folders(tmp_path):
    plant(tmp_path, "train/Acura RL Sedan 2012/1.jpg", "test/Ferrari FF Coupe 2012/1.jpg")
    found = read(tmp_path)
    assert found.layout.startswith("train and test folders")
    assert [entry.split for entry in found.entries] == ["train", "test"]
    assert len(found.notes) == 1
    plant(tmp_path, "test/Acura TL Sedan 2012/1.jpg")
    assert "wrong half: 1 (Acura TL Sedan 2012)" in read(tmp_path).notes[1]


def test_halves_that_share_classes_are_refused(tmp_path):
    inner = kaggle(tmp_path) / "car_data" / "car_data"
    shutil.copytree(inner / "test" / NAMES[97], inner / "train" / NAMES[97])
    with pytest.raises(CatalogError, match=rf"train/ and in test/: 1 \({NAMES[97]}\)"):
        read(inner)
    splits = {entry.split for entry in read(inner, closed_set=True).entries}
    assert splits == {"train", "test"}


def test_counts_that_differ_are_refused_with_both(tmp_path):
    with pytest.raises(CatalogError) as error:
        cars(single(tmp_path))
    assert str(error.value).splitlines()[1:3] == [
        "  train: expected 8,054 images of 98 classes, found 2 images of 2 classes",
        "  test: expected 8,131 images of 98 classes, found 3 images of 3 classes",
    ]
    with pytest.raises(CatalogError, match="train: expected 8,144 images of 196 classes, found 2"):
        cars(tmp_path, closed_set=True)
