"""Counts, missing files and reports of benchmarks, on a data set made up here."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lookalike.data import benchmarks
from lookalike.data.benchmarks.benchmark import Benchmark, Found, Published
from lookalike.data.benchmarks.check import prepared, to_catalog
from lookalike.data.benchmarks.layouts import Layout, class_folders, has, read_layout
from lookalike.data.benchmarks.read import load
from lookalike.data.catalog.entries import Entry
from lookalike.errors import CatalogError, UsageError

PUBLISHED = (Published("train", 2, 1), Published("query", 1, 1), Published("gallery", 1, 1))
ENTRIES = (
    Entry("a/1.jpg", "10", 0, "train", box=(0, 0, 1, 1), keypoints=((1, 2), (3, 4))),
    Entry("a/2.jpg", "10", 1, "train"),
    Entry("b/1.jpg", "9", 2, "test", "query"),
    Entry("b/2.jpg", "9", 3, "test", "gallery"),
)


def made(root: Path, *, without: tuple[str, ...] = ()) -> Found:
    for entry in ENTRIES:
        if entry.path not in without:
            path = root / entry.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    return Found("flat", root, ENTRIES, ("beak", "tail"), ("a note",))


def test_all_there_becomes_a_catalog_without_a_warning(tmp_path):
    catalog = to_catalog("Things", made(tmp_path), PUBLISHED, allow_partial=False)
    assert catalog.root == tmp_path
    assert catalog.paths == tuple(entry.path for entry in ENTRIES)
    assert catalog.class_names == ("9", "10")
    assert catalog.roles == (None, None, "query", "gallery")
    assert catalog.keypoint_names == ("beak", "tail")
    np.testing.assert_array_equal(catalog.keypoints[0], [[1, 2], [3, 4]])
    assert np.isnan(catalog.keypoints[1:]).all()


def test_classes_are_in_the_order_of_the_data_set_if_it_has_one(tmp_path):
    found = replace(made(tmp_path), class_names=("10", "9"))
    catalog = to_catalog("Things", found, PUBLISHED, allow_partial=False)
    np.testing.assert_array_equal(catalog.labels, [0, 0, 1, 1])


def test_a_report_for_people_and_for_machines(tmp_path):
    report = prepared("Things", made(tmp_path, without=("a/2.jpg",)), PUBLISHED)
    assert not report.ok
    assert report.lines() == [
        f"Things: flat in {tmp_path}",
        "  train: expected 2 images of 1 classes, found 1 images of 1 classes",
        "  query: 1 images of 1 classes, as published",
        "  gallery: 1 images of 1 classes, as published",
        "  listed, but not there: 1 (a/2.jpg)",
        "  boxes: 1 pictures",
        "  keypoints: beak, tail",
        "  note: a note",
    ]
    machine = json.loads(json.dumps(report.to_dict()))
    assert machine["ok"] is False
    assert machine["missing"] == ["a/2.jpg"]
    assert machine["parts"][0] == {
        "part": "train",
        "images": 1,
        "classes": 1,
        "published_images": 2,
        "published_classes": 1,
    }


def test_a_report_of_all_that_there_should_be(tmp_path):
    report = prepared("Things", made(tmp_path), PUBLISHED)
    assert report.ok
    assert report.missing == ()
    assert all(line.endswith("as published") for line in report.lines()[1:4])


@pytest.mark.parametrize("published", [Published("train", 3, 1), Published("train", 2, 2)])
def test_either_count_can_be_wrong(tmp_path, published):
    assert not prepared("Things", made(tmp_path), (published, *PUBLISHED[1:])).ok


def test_more_than_published_is_refused_too(tmp_path):
    fewer = (Published("train", 1, 1), *PUBLISHED[1:])
    with pytest.raises(CatalogError, match="expected 1 images of 1 classes, found 2 images"):
        to_catalog("Things", made(tmp_path), fewer, allow_partial=False)


def test_many_missing_files_are_counted_and_ten_named(tmp_path):
    more = [Entry(f"c/{i}.jpg", "10", i, "train") for i in range(12)]
    found = replace(made(tmp_path), entries=(*ENTRIES, *more))
    with pytest.raises(CatalogError, match=r"not there: 12 \(c/0\.jpg, .*c/9\.jpg and 2 more\)"):
        to_catalog("Things", found, PUBLISHED, allow_partial=False)


def test_a_partial_copy_is_used_as_far_as_it_goes(tmp_path):
    found = made(tmp_path, without=("b/1.jpg", "b/2.jpg"))
    with pytest.warns(UserWarning, match=r"not there: 2 \(b/1\.jpg, b/2\.jpg\)"):
        catalog = to_catalog("Things", found, PUBLISHED, allow_partial=True)
    assert catalog.paths == ("a/1.jpg", "a/2.jpg")
    assert catalog.class_names == ("10",)


def test_nothing_there_is_an_error_even_of_a_partial_copy(tmp_path):
    found = made(tmp_path, without=tuple(entry.path for entry in ENTRIES))
    with pytest.raises(CatalogError, match="No picture is there: unpack the archive"):
        to_catalog("Things", found, PUBLISHED, allow_partial=True)


def test_a_closed_set_that_does_not_exist_is_refused(tmp_path):
    benchmark = Benchmark("Things", PUBLISHED, lambda root, _: made(root), "made up")
    with pytest.raises(CatalogError, match="Things has no closed-set split; leave out closed_set"):
        load(benchmark, tmp_path, closed_set=True)


def test_benchmarks_are_looked_up_by_name(tmp_path):
    assert list(benchmarks.BENCHMARKS) == ["cub", "cars", "sop", "inshop"]
    with pytest.raises(UsageError, match="'imagenet': take one of cub, cars, sop, inshop"):
        benchmarks.inspect("imagenet", tmp_path)
    (tmp_path / "images" / "001.A").mkdir(parents=True)
    (tmp_path / "images" / "001.A" / "1.jpg").touch()
    report = benchmarks.inspect("cub", tmp_path)
    assert (report.name, report.parts[0].images, report.ok) == ("CUB-200-2011", 1, False)


def test_published_counts():
    """Totals of the literature, and both ways to split them."""
    totals = {"cub": 11_788, "cars": 16_185, "sop": 120_053, "inshop": 52_712}
    for name, total in totals.items():
        benchmark = benchmarks.BENCHMARKS[name]
        assert sum(part.images for part in benchmark.published) == total
        if benchmark.closed_set:
            assert sum(part.images for part in benchmark.closed_set) == total


def test_the_most_official_layout_wins_wherever_it_stands(tmp_path):
    for file in ("z/list.txt", "a/tree.txt", "tree.txt", ".hidden/list.txt"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).touch()

    def reader(name: str) -> Layout:
        return Layout(name, has(f"{name}.txt"), lambda base, _: Found(name, base, ()))

    layouts = [reader("list"), reader("tree")]
    found = read_layout("Things", tmp_path, layouts, closed_set=False)
    assert (found.layout, found.root) == ("list", tmp_path / "z")
    assert found.notes == (
        f"also there, not used: tree in {tmp_path}",
        f"also there, not used: tree in {tmp_path / 'a'}",
    )
    # What stands within the copy that is read is no other copy.
    only_tree = read_layout("Things", tmp_path, layouts[1:], closed_set=False)
    assert (only_tree.root, only_tree.notes) == (tmp_path, ())


def test_class_folders_keep_counting_and_pass_over_hidden_files(tmp_path):
    for file in ("x/b/1.jpg", "x/a/2.JPG", "x/a/._2.JPG", "x/a/note.txt", "y/c/3.png"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    entries = class_folders(tmp_path, {"x": "train", "y": None})
    assert [(entry.path, entry.label, entry.row, entry.split) for entry in entries] == [
        ("x/a/2.JPG", "a", 0, "train"),
        ("x/b/1.jpg", "b", 1, "train"),
        ("y/c/3.png", "c", 2, None),
    ]
