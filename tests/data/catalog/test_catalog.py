import pickle
from pathlib import Path

import numpy as np
import pytest

from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.entries import Entry
from lookalike.errors import CatalogError


def small() -> Catalog:
    entries = [
        Entry("a.png", "cat", 7, "train", None, "day", (0, 1, 10, 11)),
        Entry("b.png", "dog", 8, "test", "query", "night", None),
        Entry("c.png", "cat", 9, "train", None, "night", None),
        Entry("d.png", "eel", 11, "test", "gallery", None, (2.5, 0, 4, 4)),
    ]
    return Catalog.from_entries("pictures", entries)


def test_entries_become_columns():
    catalog = small()
    assert catalog.class_names == ("cat", "dog", "eel")
    np.testing.assert_array_equal(catalog.labels, [0, 1, 0, 2])
    assert catalog.labels.dtype == np.int64
    assert catalog.splits == ("train", "test", "train", "test")
    assert catalog.roles == (None, "query", None, "gallery")
    assert catalog.groups == ("day", "night", "night", None)
    np.testing.assert_array_equal(catalog.boxes[[0, 3]], [[0, 1, 10, 11], [2.5, 0, 4, 4]])
    assert np.isnan(catalog.boxes[[1, 2]]).all()
    assert (catalog.box(3), catalog.box(1)) == ((2.5, 0, 4, 4), None)
    np.testing.assert_array_equal(catalog.rows, [7, 8, 9, 11])
    assert catalog.path(1) == Path("pictures/b.png")
    assert catalog.class_name(3) == "eel"
    np.testing.assert_array_equal(catalog.counts(), [2, 1, 1])


def test_whole_numbers_are_ordered_by_value_and_other_names_by_characters():
    def names(*labels: str) -> tuple[str, ...]:
        entries = [Entry(f"{i}.png", label, i) for i, label in enumerate(labels)]
        return Catalog.from_entries(".", entries).class_names

    assert names("10", "9", "-1") == ("-1", "9", "10")
    assert names("10", "9", "b") == ("10", "9", "b")
    assert names("7", "007") == ("007", "7")  # texts that differ are classes that differ
    assert names("é", "z", "Z") == ("Z", "z", "é")


def test_columns_left_out_are_filled():
    catalog = Catalog(Path(), ("a.png", "b.png"), np.array([0, 0]), ("cat",))
    assert catalog.splits == catalog.roles == catalog.groups == (None, None)
    assert catalog.boxes.shape == (2, 4)
    assert np.isnan(catalog.boxes).all()
    np.testing.assert_array_equal(catalog.rows, [0, 1])


def test_columns_that_do_not_fit_are_refused():
    with pytest.raises(CatalogError, match="2 paths, but 1 splits"):
        Catalog(Path(), ("a", "b"), np.array([0, 0]), ("cat",), splits=("train",))
    with pytest.raises(
        CatalogError, match="labels run from 0 to 1, but there are names for 0 to 0"
    ):
        Catalog(Path(), ("a", "b"), np.array([0, 1]), ("cat",))


@pytest.mark.parametrize(
    "keep", [[3, 0], np.array([3, 0]), np.array([3, 0], np.int32)], ids=["list", "int64", "int32"]
)
def test_subset_keeps_order_rows_and_class_names(keep):
    part = small().subset(keep)
    assert part.paths == ("d.png", "a.png")
    assert part.class_names == ("cat", "dog", "eel")
    np.testing.assert_array_equal(part.labels, [2, 0])
    np.testing.assert_array_equal(part.rows, [11, 7])
    np.testing.assert_array_equal(part.boxes, [[2.5, 0, 4, 4], [0, 1, 10, 11]])
    assert part.groups == (None, "day")
    np.testing.assert_array_equal(part.classes, [0, 2])
    np.testing.assert_array_equal(part.counts(), [1, 0, 1])


def test_recoded_leaves_no_gaps():
    part = small().subset([3, 0]).recoded()
    assert part.class_names == ("cat", "eel")
    np.testing.assert_array_equal(part.labels, [1, 0])
    assert part.paths == ("d.png", "a.png")
    assert part.splits == ("test", "train")


def test_subset_by_mask_and_to_nothing():
    catalog = small()
    assert catalog.subset(catalog.labels == 0).paths == ("a.png", "c.png")
    assert len(catalog.subset([])) == 0
    with pytest.raises(CatalogError, match="mask has 3 entries for 4 pictures"):
        catalog.subset(np.array([True, False, True]))


def test_split_and_role_name_what_there_is():
    catalog = small()
    assert catalog.split("train").paths == ("a.png", "c.png")
    assert catalog.role("gallery").paths == ("d.png",)
    assert catalog.split_names == ("test", "train")
    with pytest.raises(CatalogError, match="no picture of split 'val'; it has: test, train"):
        catalog.split("val")
    with pytest.raises(CatalogError, match="no picture of role 'probe'; it has: gallery, query"):
        catalog.role("probe")
    with pytest.raises(CatalogError, match="it has no splits"):
        catalog.with_splits([None] * 4).split("train")


def test_with_splits_replaces_them():
    catalog = small().with_splits(["x", None, "y", "y"])
    assert catalog.splits == ("x", None, "y", "y")
    with pytest.raises(CatalogError, match="4 paths, but 1 splits"):
        catalog.with_splits(["x"])


def test_a_catalog_travels_between_processes():
    catalog = pickle.loads(pickle.dumps(small()))
    assert catalog.paths == small().paths
    np.testing.assert_array_equal(catalog.labels, small().labels)


def test_csv_written_beside_the_pictures_reads_back_the_same(tmp_path):
    entries = [
        Entry('we"ird, näme\n.png', "cat; 1", 0, "train", "query", "g", (0.1, 0, 1e7, 2)),
        Entry("plain.png", "2", 1, None, None, None, None),
    ]
    catalog = Catalog.from_entries(tmp_path, entries)
    catalog.to_csv(tmp_path / "catalog.csv")
    again = Catalog.from_csv(tmp_path / "catalog.csv")
    for name in ("paths", "class_names", "splits", "roles", "groups"):
        assert getattr(again, name) == getattr(catalog, name)
    np.testing.assert_array_equal(again.labels, catalog.labels)
    np.testing.assert_array_equal(again.boxes, catalog.boxes)


def test_csv_written_elsewhere_still_finds_the_pictures(tmp_path):
    catalog = Catalog.from_entries(tmp_path / "pictures", [Entry("a.png", "cat", 0)])
    catalog.to_csv(tmp_path / "catalog.csv")
    again = Catalog.from_csv(tmp_path / "catalog.csv")
    assert again.path(0) == tmp_path / "pictures" / "a.png"
    assert (tmp_path / "catalog.csv").read_text().splitlines()[0] == "path,label"


def test_csv_refuses_a_name_of_raw_bytes(tmp_path):
    catalog = Catalog.from_entries(tmp_path, [Entry("bad\udcff.png", "cat", 0)])
    with pytest.raises(CatalogError, match=r"not UTF-8 and cannot be written: .*bad\\udcff\.png"):
        catalog.to_csv(tmp_path / "catalog.csv")
    assert not (tmp_path / "catalog.csv").exists()


def test_from_path_picks_the_reader(tmp_path):
    (tmp_path / "tree" / "cat").mkdir(parents=True)
    (tmp_path / "tree" / "cat" / "a.png").touch()
    (tmp_path / "t.TSV").write_text("path\tlabel\na.png\tcat\n")
    assert Catalog.from_path(tmp_path / "tree").paths == ("cat/a.png",)
    assert Catalog.from_path(tmp_path / "t.TSV").paths == ("a.png",)
    (tmp_path / "t.xlsx").touch()
    with pytest.raises(CatalogError, match=r"t\.xlsx: not a \.csv or \.parquet file"):
        Catalog.from_path(tmp_path / "t.xlsx")
    with pytest.raises(CatalogError, match="no such file or folder"):
        Catalog.from_path(tmp_path / "nowhere")


def with_points() -> Catalog:
    entries = [
        Entry("a.png", "cat", 0, "train", keypoints=((1, 2), (np.nan, np.nan))),
        Entry("b.png", "dog", 1, "test"),
        Entry("c.png", "dog", 2, "test", keypoints=((5, 6), (7.5, 8))),
    ]
    return Catalog.from_entries(".", entries, keypoint_names=["beak", "tail"])


def test_keypoints_are_carried_along():
    catalog = with_points()
    hidden = [np.nan, np.nan]
    np.testing.assert_array_equal(
        catalog.keypoints, [[[1, 2], hidden], [hidden, hidden], [[5, 6], [7.5, 8]]]
    )
    for part in (catalog.split("test").recoded(), catalog.with_splits("xyy").split("y")):
        np.testing.assert_array_equal(part.keypoints, catalog.keypoints[1:])
        assert part.keypoint_names == ("beak", "tail")
    np.testing.assert_array_equal(catalog.subset([2, 0]).keypoints[:, 0], [[5, 6], [1, 2]])
    assert catalog.subset([]).keypoints.shape == (0, 2, 2)


def test_a_catalog_without_keypoints_has_none_of_them():
    assert small().keypoints.shape == (4, 0, 2)
    assert small().subset([1]).keypoints.shape == (1, 0, 2)
    assert Catalog(Path(), ("a",), np.array([0]), ("cat",)).keypoints.shape == (1, 0, 2)


def test_keypoints_need_their_names():
    with pytest.raises(CatalogError, match=r"a\.png: 1 keypoints, but 0 names for them"):
        Catalog.from_entries(".", [Entry("a.png", "cat", 0, keypoints=((1, 2),))])
    with pytest.raises(CatalogError, match="3 keypoints, but 1 names for them"):
        Catalog(
            Path(),
            ("a",),
            np.array([0]),
            ("cat",),
            keypoints=np.zeros((1, 3, 2)),
            keypoint_names=("beak",),
        )


def test_class_names_can_be_given_in_their_order():
    entries = [Entry("a.png", "cat", 0), Entry("b.png", "dog", 1)]
    catalog = Catalog.from_entries(".", entries, class_names=["dog", "eel", "cat"])
    assert catalog.class_names == ("dog", "eel", "cat")
    np.testing.assert_array_equal(catalog.labels, [2, 0])
    with pytest.raises(CatalogError, match="not among the class names: cat"):
        Catalog.from_entries(".", entries, class_names=["dog"])
    with pytest.raises(CatalogError, match="class names are there twice: dog"):
        Catalog.from_entries(".", entries, class_names=["dog", "cat", "dog"])
