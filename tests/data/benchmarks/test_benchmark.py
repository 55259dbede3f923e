"""Counts, missing files and reports of benchmarks, on a data set made up here; all benchmarks."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import lookalike.data
from lookalike.data import open_named
from lookalike.data.benchmarks import BENCHMARKS, Benchmark, Published, inspect
from lookalike.data.benchmarks.layouts import (
    Layout,
    LayoutContents,
    class_folders,
    has,
    has_folders_in,
    read_layout,
)
from lookalike.data.catalog.entries import Entry
from lookalike.errors import CatalogError, UsageError

PUBLISHED = (Published("train", 2, 1), Published("query", 1, 1), Published("gallery", 1, 1))
ENTRIES = (
    Entry("a/1.jpg", "10", 0, "train", box=(0, 0, 1, 1), keypoints=((1, 2), (3, 4))),
    Entry("a/2.jpg", "10", 1, "train"),
    Entry("b/1.jpg", "9", 2, "test", "query"),
    Entry("b/2.jpg", "9", 3, "test", "gallery"),
)


def plant(root: Path, *files: str) -> Path:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return root


def made(
    root: Path,
    *,
    without: Sequence[str] = (),
    entries: Sequence[Entry] = ENTRIES,
    class_names: tuple[str, ...] = (),
    published: tuple[Published, ...] = PUBLISHED,
) -> Benchmark:
    """Return a benchmark that lists `entries`, all of whose files but `without` are at the root."""
    plant(root, *(entry.path for entry in ENTRIES if entry.path not in without))

    def read(base: Path, closed_set: bool) -> LayoutContents:
        points = ("beak", "tail")
        return LayoutContents(base, tuple(entries), points, ("a note",), class_names)

    return Benchmark("Things", published, (Layout("flat", has("a"), read),), "made up")


def test_all_there_becomes_a_catalog_without_a_warning(tmp_path):
    catalog = made(tmp_path).load(tmp_path)
    assert catalog.root == tmp_path
    assert catalog.paths == tuple(entry.path for entry in ENTRIES)
    assert catalog.class_names == ("9", "10")
    assert catalog.roles == (None, None, "query", "gallery")
    assert catalog.keypoint_names == ("beak", "tail")
    np.testing.assert_array_equal(catalog.keypoints[0], [[1, 2], [3, 4]])
    assert np.isnan(catalog.keypoints[1:]).all()


def test_classes_are_in_the_order_of_the_data_set_if_it_has_one(tmp_path):
    catalog = made(tmp_path, class_names=("10", "9")).load(tmp_path)
    np.testing.assert_array_equal(catalog.labels, [0, 0, 1, 1])


def test_a_report_for_people_and_for_machines(tmp_path):
    report = made(tmp_path, without=["a/2.jpg"]).report(tmp_path)
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


def test_a_report_of_a_complete_copy(tmp_path):
    report = made(tmp_path).report(tmp_path)
    assert report.ok
    assert report.missing == ()
    assert all(line.endswith("as published") for line in report.lines()[1:4])


@pytest.mark.parametrize("published", [Published("train", 3, 1), Published("train", 2, 2)])
def test_either_count_can_be_wrong(tmp_path, published):
    assert not made(tmp_path, published=(published, *PUBLISHED[1:])).report(tmp_path).ok


def test_more_than_published_is_refused_too(tmp_path):
    fewer = made(tmp_path, published=(Published("train", 1, 1), *PUBLISHED[1:]))
    with pytest.raises(CatalogError, match="expected 1 images of 1 classes, found 2 images"):
        fewer.load(tmp_path)


def test_many_missing_files_are_counted_and_ten_named(tmp_path):
    more = [Entry(f"c/{i}.jpg", "10", i, "train") for i in range(12)]
    with pytest.raises(CatalogError, match=r"not there: 12 \(c/0\.jpg, .*c/9\.jpg and 2 more\)"):
        made(tmp_path, entries=(*ENTRIES, *more)).load(tmp_path)


def test_a_partial_copy_is_used_as_far_as_it_goes(tmp_path):
    partial = made(tmp_path, without=("b/1.jpg", "b/2.jpg"))
    with pytest.warns(UserWarning, match=r"not there: 2 \(b/1\.jpg, b/2\.jpg\)"):
        catalog = partial.load(tmp_path, allow_partial=True)
    assert catalog.paths == ("a/1.jpg", "a/2.jpg")
    assert catalog.class_names == ("10",)


def test_nothing_there_is_an_error_even_of_a_partial_copy(tmp_path):
    (tmp_path / "a").mkdir()
    empty = made(tmp_path, without=[entry.path for entry in ENTRIES])
    with pytest.raises(CatalogError, match="No picture is there: unpack the archive"):
        empty.load(tmp_path, allow_partial=True)


def test_a_closed_set_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(CatalogError, match="Things has no closed-set split; leave out closed_set"):
        made(tmp_path).load(tmp_path, closed_set=True)


def test_an_unknown_benchmark_is_told_the_known_ones(tmp_path):
    with pytest.raises(UsageError, match="'imagenet': take one of cub, cars, sop, inshop"):
        inspect("imagenet", tmp_path)
    plant(tmp_path, "images/001.A/1.jpg")
    report = inspect("cub", tmp_path)
    assert (report.name, report.parts[0].images, report.ok) == ("CUB-200-2011", 1, False)


TOTALS = {"cub": 11_788, "cars": 16_185, "sop": 120_053, "inshop": 52_712}
"""Pictures of each benchmark, as the literature counts them."""


@pytest.mark.parametrize("name", BENCHMARKS)
class TestEveryBenchmark:
    """What is true of each member of the registry, so that a new one cannot be forgotten."""

    def test_published_counts_add_up_to_the_literatures_total(self, name):
        benchmark = BENCHMARKS[name]
        assert sum(part.images for part in benchmark.published) == TOTALS[name]
        if benchmark.closed_set:
            assert sum(part.images for part in benchmark.closed_set) == TOTALS[name]

    def test_its_function_is_public_and_names_its_layouts(self, name, tmp_path):
        benchmark, read = BENCHMARKS[name], getattr(lookalike.data, name)
        assert name in lookalike.data.__all__
        with pytest.raises(CatalogError, match=f"no known layout of {benchmark.title}") as caught:
            read(tmp_path)
        names = [layout.name for layout in benchmark.layouts]
        assert str(caught.value).splitlines()[1:] == [f"  {layout}" for layout in names]
        assert len(set(names)) == len(names) > 0
        assert benchmark.source

    def test_it_is_opened_by_its_name_and_reported_by_inspect(self, name, tmp_path):
        for ask in (lambda: open_named(f"{name}:{tmp_path}"), lambda: inspect(name, tmp_path)):
            with pytest.raises(CatalogError, match=f"no known layout of {BENCHMARKS[name].title}"):
                ask()

    def test_a_closed_set_is_read_only_if_it_has_one(self, name, tmp_path):
        expected = "no known layout" if BENCHMARKS[name].closed_set else "has no closed-set split"
        with pytest.raises(CatalogError, match=expected):
            inspect(name, tmp_path, closed_set=True)


def test_the_most_official_layout_wins_wherever_it_is(tmp_path):
    plant(tmp_path, "z/list.txt", "a/tree.txt", "tree.txt", ".hidden/list.txt")

    def reader(name: str) -> Layout:
        return Layout(name, has(f"{name}.txt"), lambda base, _: LayoutContents(base, ()))

    layouts = [reader("list"), reader("tree")]
    found = read_layout("Things", tmp_path, layouts, closed_set=False)
    assert (found.layout, found.root) == ("list", tmp_path / "z")
    assert found.notes == (
        f"also there, not used: tree in {tmp_path}",
        f"also there, not used: tree in {tmp_path / 'a'}",
    )
    # What is within the copy that is read is no other copy.
    only_tree = read_layout("Things", tmp_path, layouts[1:], closed_set=False)
    assert (only_tree.root, only_tree.notes) == (tmp_path, ())


def test_class_folders_keep_counting_and_pass_over_hidden_files(tmp_path):
    plant(tmp_path, "x/b/1.jpg", "x/a/2.JPG", "x/a/._2.JPG", "x/a/note.txt", "y/c/3.png")
    entries = class_folders(tmp_path, {"x": "train", "y": None})
    assert [(entry.path, entry.label, entry.row, entry.split) for entry in entries] == [
        ("x/a/2.JPG", "a", 0, "train"),
        ("x/b/1.jpg", "b", 1, "train"),
        ("y/c/3.png", "c", 2, None),
    ]


def test_folders_are_needed_in_every_one_of_the_places(tmp_path):
    plant(tmp_path, "train/cat/1.jpg", "test/1.jpg", "test/.hidden/1.jpg")
    assert has_folders_in("train")(tmp_path)
    assert not has_folders_in("train", "test")(tmp_path)
