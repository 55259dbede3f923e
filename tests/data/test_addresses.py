from dataclasses import replace
from pathlib import Path

import pytest

from lookalike.data import demo_catalog, open_named
from lookalike.data.benchmarks import BENCHMARKS
from lookalike.data.benchmarks.report import Published
from lookalike.errors import CatalogError, UsageError


def plant(root: Path, *files: str) -> Path:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return root


def small_sop(root: Path) -> Path:
    header = "image_id class_id super_class_id path\n"
    plant(root, "mug_final/1_0.JPG", "mug_final/2_0.JPG")
    (root / "Ebay_train.txt").write_text(f"{header}1 1 1 mug_final/1_0.JPG\n")
    (root / "Ebay_test.txt").write_text(f"{header}2 2 1 mug_final/2_0.JPG\n")
    return root


def test_folders_and_tables_are_paths(tmp_path):
    plant(tmp_path, "cat/1.jpg", "dog/1.jpg")
    assert open_named(tmp_path).class_names == ("cat", "dog")
    (tmp_path / "list.csv").write_text("path,label\ncat/1.jpg,tom\n")
    assert open_named(str(tmp_path / "list.csv")).class_names == ("tom",)


def test_demo_is_bundled_unless_something_of_that_name_is_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert open_named("demo").paths == demo_catalog().paths
    plant(tmp_path, "demo/cat/1.jpg")
    assert open_named("demo").paths == ("cat/1.jpg",)
    assert open_named(Path("./demo")).paths == ("cat/1.jpg",)


def test_the_folder_that_the_demo_made_is_not_taken_for_pictures(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo" / "single").mkdir(parents=True)
    (tmp_path / "demo" / ".lookalike-demo").touch()
    assert open_named("demo").paths == demo_catalog().paths


def test_a_benchmark_is_named_with_its_root(tmp_path, monkeypatch):
    published = (Published("train", 1, 1), Published("test", 1, 1))
    monkeypatch.setitem(BENCHMARKS, "sop", replace(BENCHMARKS["sop"], published=published))
    small_sop(tmp_path / "with: colon")
    catalog = open_named(Path(f"sop:{tmp_path}/with: colon"))
    assert catalog.splits == ("train", "test")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert open_named("sop:~/with: colon").paths == catalog.paths


def test_a_partial_benchmark_must_be_asked_for(tmp_path):
    word = f"sop:{small_sop(tmp_path)}"
    with pytest.raises(CatalogError, match="expected 59,551 images"):
        open_named(word)
    with pytest.warns(UserWarning, match="expected 59,551 images"):
        assert len(open_named(word, allow_partial=True)) == 2


@pytest.mark.parametrize("word", ["birds:/data", "cub", "cub:", "CUB:/data", "http://x/y"])
def test_unknown_names_are_told_the_known_ones(word, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="demo, cub:ROOT, cars:ROOT, sop:ROOT, inshop:ROOT"):
        open_named(word)


def test_a_path_with_a_colon_is_a_path_if_it_is_there(tmp_path, monkeypatch):
    monkeypatch.chdir(plant(tmp_path, "birds:1/cat/1.jpg"))
    assert open_named("birds:1").paths == ("cat/1.jpg",)
