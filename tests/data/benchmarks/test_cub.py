"""CUB-200-2011 on miniatures in its real formats."""

from pathlib import Path

import numpy as np
import pytest

from lookalike.data.benchmarks.cub import CUB, cub
from lookalike.data.benchmarks.layouts import LayoutContents, read_layout
from lookalike.data.catalog.catalog import Catalog
from lookalike.errors import CatalogError

FIRST, LAST = "001.Black_footed_Albatross", "100.Brown_Pelican"
TEST = "101.White_Pelican"

# Ids have gaps and are not in the order of the paths, as in a list that someone has cut down.
OFFICIAL = {
    "images.txt": f"""\
3 {FIRST}/Black_Footed_Albatross_0001_796111.jpg
7 {TEST}/White_Pelican_0003_95711.jpg

1 {LAST}/Brown_Pelican_0001_95213.jpg
12 {FIRST}/Black_Footed_Albatross_0002_55.jpg
""",
    "image_class_labels.txt": "1 100\n3 1\n7 101\n12 1\n",
    "train_test_split.txt": "1 0\n3 1\n7 1\n12 0\n",
    "classes.txt": f"1 {FIRST}\n100 {LAST}\n101 {TEST}\n",
    "bounding_boxes.txt": "1 60.0 27.0 325.0 304.0\n3 1.5 0.0 10.0 20.0\n7 0.0 0.0 5.0 5.0\n",
    "parts/parts.txt": "1 back\n2 beak\n7 left eye\n",
    "parts/part_locs.txt": """\
1 1 0.0 0.0 0
1 2 312.0 182.0 1
1 7 0.0 0.0 0
3 1 10.5 20.25 1
3 7 3.0 4.0 1
""",
}
PICTURES = [line.split()[1] for line in OFFICIAL["images.txt"].splitlines() if line]


def plant(root: Path, *files: str) -> Path:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return root


def official(root: Path, **changed: str) -> Path:
    """Write the official tree, with other texts for some lists, named without their suffix."""
    plant(root, *(f"images/{path}" for path in PICTURES))
    for name, text in OFFICIAL.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(changed.get(path.stem, text))
    return root


def read(root: Path, *, closed_set: bool = False) -> LayoutContents:
    return read_layout(CUB.title, root, CUB.layouts, closed_set=closed_set)


def partial(root: Path, *, closed_set: bool = False) -> Catalog:
    with pytest.warns(UserWarning, match="not the CUB-200-2011 of the literature"):
        return cub(root, allow_partial=True, closed_set=closed_set)


def splits(found: LayoutContents) -> dict[str, str | None]:
    return {entry.path: entry.split for entry in found.entries}


@pytest.mark.parametrize("folder", ["", "CUB_200_2011"])
def test_official_tree_given_or_the_folder_that_holds_it(tmp_path, folder):
    official(tmp_path / folder)
    found = read(tmp_path)
    assert found.layout.startswith("official tree (images.txt")
    assert found.root == tmp_path / folder
    assert [(entry.row, entry.label, entry.split) for entry in found.entries] == [
        (1, FIRST, "train"),
        (2, TEST, "test"),
        (4, LAST, "train"),
        (5, FIRST, "train"),
    ]
    assert [entry.path for entry in found.entries] == [f"images/{path}" for path in PICTURES]
    assert found.class_names == (FIRST, LAST, TEST)
    assert found.notes == ()


def test_boxes_and_parts_become_columns_of_the_catalog(tmp_path):
    catalog = partial(official(tmp_path))
    nan = np.nan
    np.testing.assert_array_equal(
        catalog.boxes,
        [[1.5, 0, 11.5, 20], [0, 0, 5, 5], [60, 27, 385, 331], [nan, nan, nan, nan]],
    )
    assert catalog.keypoint_names == ("back", "beak", "left eye")
    hidden = [nan, nan]
    np.testing.assert_array_equal(
        catalog.keypoints,
        [
            [[10.5, 20.25], hidden, [3, 4]],
            [hidden] * 3,
            [hidden, [312, 182], hidden],
            [hidden] * 3,
        ],
    )
    np.testing.assert_array_equal(catalog.labels, [0, 2, 1, 0])
    assert catalog.class_names == (FIRST, LAST, TEST)
    assert catalog.path(0) == tmp_path / "images" / PICTURES[0]
    assert catalog.split("test").keypoints.shape == (1, 3, 2)


def test_the_closed_set_split_is_read_only_when_asked_for(tmp_path):
    found = read(official(tmp_path), closed_set=True)
    assert list(splits(found).values()) == ["train", "train", "test", "test"]
    seen = CUB.report(tmp_path, closed_set=True)
    assert [(part.part, part.images, part.published_images) for part in seen.parts] == [
        ("train", 2, 5_994),
        ("test", 2, 5_794),
    ]


def test_annotations_may_be_missing_lists_may_not(tmp_path):
    official(tmp_path)
    (tmp_path / "bounding_boxes.txt").unlink()
    for name in ("parts.txt", "part_locs.txt"):
        (tmp_path / "parts" / name).unlink()
    (tmp_path / "parts").rmdir()
    found = read(tmp_path)
    assert {entry.box for entry in found.entries} == {None}
    assert found.keypoint_names == ()
    (tmp_path / "classes.txt").unlink()
    with pytest.raises(CatalogError, match=r"classes\.txt: cannot read the list: No such file"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("images", "3\n", r"images\.txt: line 1: expected an id and more, found '3'"),
        ("image_class_labels", "3 1\n", r"image_class_labels\.txt: no line for id 7"),
        ("image_class_labels", "3 x\n", "id 3: expected a whole number, found 'x'"),
        ("classes", f"1 {FIRST}\n1 {LAST}\n", r"classes\.txt: line 2: id 1 is there twice"),
        ("bounding_boxes", "1 2 3 4\n", "line 1: expected 4 numbers, found '2 3 4'"),
        ("bounding_boxes", "1 2 3 4 five\n", "line 1: expected 4 numbers, found '2 3 4 five'"),
        ("part_locs", "1 9 0 0 1\n", "line 1: no part has the id 9"),
        ("part_locs", "1 1 0 0\n", "line 1: expected 3 numbers, found '0 0'"),
    ],
)
def test_bad_lines_are_named(tmp_path, name, text, message):
    official(tmp_path, **{name: text})
    with pytest.raises(CatalogError, match=message):
        read(tmp_path)


def test_counts_that_differ_are_refused_with_both(tmp_path):
    official(tmp_path)
    plant(tmp_path, f"images/{FIRST}/._Black_Footed_Albatross_0001_796111.jpg")
    with pytest.raises(CatalogError) as error:
        cub(tmp_path)
    assert str(error.value).splitlines()[:4] == [
        f"{tmp_path}: not the CUB-200-2011 of the literature; layout: official tree (images.txt, "
        f"image_class_labels.txt, images/)",
        "  train: expected 5,864 images of 100 classes, found 3 images of 2 classes",
        "  test: expected 5,924 images of 100 classes, found 1 images of 1 classes",
        '  note: "._*" files of another system, passed over: 1',
    ]
    assert "--allow-partial" in str(error.value)


def test_missing_files_are_named_and_dropped_from_a_partial_copy(tmp_path):
    official(tmp_path)
    (tmp_path / "images" / PICTURES[1]).unlink()
    with pytest.raises(CatalogError, match=rf"not there: 1 \(images/{PICTURES[1]}\)"):
        cub(tmp_path)
    catalog = partial(tmp_path)
    assert catalog.paths == tuple(f"images/{PICTURES[i]}" for i in (0, 2, 3))
    assert catalog.class_names == (FIRST, LAST)  # a class without a picture is gone
    np.testing.assert_array_equal(catalog.labels, [0, 1, 0])
    np.testing.assert_array_equal(catalog.rows, [1, 4, 5])


def test_class_folders_are_split_by_their_numbers(tmp_path):
    plant(tmp_path / "cub200" / "images", *PICTURES, f"{FIRST}/._x.jpg", "misc/y.jpg")
    found = read(tmp_path)
    assert found.layout.startswith("class folders (images/")
    assert found.root == tmp_path / "cub200"
    assert splits(found) == {
        f"images/{path}": "test" if TEST in path else "train" for path in PICTURES
    }
    assert found.notes == ("folders that are not named like a class, passed over: misc",)
    with pytest.raises(
        CatalogError, match=r"pass the official tree, which has train_test_split\.txt"
    ):
        read(tmp_path, closed_set=True)


def test_train_and_test_folders(tmp_path):
    for path in PICTURES:
        plant(tmp_path / ("test" if TEST in path else "train"), path)
    found = read(tmp_path)
    assert found.layout.startswith("train and test folders")
    assert set(splits(found).items()) == {
        (f"train/{path}", "train") for path in PICTURES if TEST not in path
    } | {(f"test/{PICTURES[1]}", "test")}
    assert sorted(entry.row for entry in found.entries) == [0, 1, 2, 3]
    with pytest.raises(CatalogError, match=r"share no class.*leave out closed_set"):
        read(tmp_path, closed_set=True)


def test_train_and_test_folders_that_share_classes_are_the_closed_set(tmp_path):
    plant(tmp_path, f"train/{FIRST}/1.jpg", f"test/{FIRST}/2.jpg", f"test/{TEST}/3.jpg")
    with pytest.raises(CatalogError, match=rf"in train/ and in test/: 1 \({FIRST}\); it is not"):
        read(tmp_path)
    assert splits(read(tmp_path, closed_set=True)) == {
        f"train/{FIRST}/1.jpg": "train",
        f"test/{FIRST}/2.jpg": "test",
        f"test/{TEST}/3.jpg": "test",
    }


def test_train_and_test_folders_with_a_class_in_the_wrong_half(tmp_path):
    plant(tmp_path, f"train/{FIRST}/1.jpg", f"test/{LAST}/2.jpg", f"test/{TEST}/3.jpg")
    with pytest.raises(CatalogError, match=rf"classes in the wrong half: 1 \({LAST}\)"):
        read(tmp_path)


def test_the_official_tree_is_read_where_others_stand_beside_it(tmp_path):
    plant(tmp_path / "a_copy" / "images", *PICTURES)
    official(tmp_path / "CUB_200_2011")
    found = read(tmp_path)
    assert found.root == tmp_path / "CUB_200_2011"
    (note,) = found.notes
    assert note.startswith("also there, not used: class folders (images/")
    assert note.endswith(str(tmp_path / "a_copy"))


@pytest.mark.parametrize("sign", ["lists/splits.mat", "annotations-mat/x.mat"])
def test_the_older_data_set_of_2010_is_refused(tmp_path, sign):
    plant(tmp_path, f"images/{FIRST}/Black_footed_Albatross_0001_2950163169.jpg", sign)
    with pytest.raises(CatalogError, match=r"older CUB-200 of 2010 .*get CUB-200-2011"):
        cub(tmp_path, allow_partial=True)


def test_the_older_data_set_is_known_by_its_number_of_pictures(tmp_path, monkeypatch):
    monkeypatch.setattr("lookalike.data.benchmarks.cub.OLDER_IMAGES", 2)
    plant(tmp_path, f"images/{FIRST}/1.jpg", f"images/{TEST}/2.jpg")
    with pytest.raises(CatalogError, match=r"older CUB-200 of 2010"):
        cub(tmp_path, allow_partial=True)


def test_a_root_without_any_layout(tmp_path):
    plant(tmp_path, "pictures/1.jpg", "images.txt")
    with pytest.raises(CatalogError, match="no known layout of CUB-200-2011, here or one") as error:
        cub(tmp_path)
    assert [line[:14] for line in str(error.value).splitlines()[1:]] == [
        "  official tre",
        "  class folder",
        "  train and te",
    ]
    with pytest.raises(CatalogError, match="nowhere: no such folder; pass the folder that"):
        cub(tmp_path / "nowhere")


def test_a_full_listing_is_accepted_without_a_word(tmp_path, monkeypatch):
    """Lists with the published numbers; the folders are made to say that every file is there."""
    per_class = [59] * 64 + [58] * 36 + [60] * 24 + [59] * 76  # made up; the sums are published
    images = iter(range(1, 11_789))
    lines: dict[str, list[str]] = {"images.txt": [], "image_class_labels.txt": []}
    names = [f"{number:03}.Bird_{number}" for number in range(1, 201)]
    for number, (name, count) in enumerate(zip(names, per_class, strict=True), start=1):
        for i in range(count):
            image = next(images)
            lines["images.txt"].append(f"{image} {name}/{i}.jpg")
            lines["image_class_labels.txt"].append(f"{image} {number}")
    lines["classes.txt"] = [f"{number} {name}" for number, name in enumerate(names, start=1)]
    for file, rows in lines.items():
        (tmp_path / file).write_text("\n".join(rows))
    every = {f"{i}.jpg" for i in range(60)}
    monkeypatch.setattr("lookalike.data.benchmarks.benchmark._file_names", lambda folder: every)
    catalog = cub(tmp_path)
    assert len(catalog) == 11_788
    assert catalog.class_names == tuple(names)
    assert len(catalog.split("train")) == 5_864
    np.testing.assert_array_equal(catalog.split("test").classes, np.arange(100, 200))
