from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from lookalike.data import demo_catalog, open_named, require_disjoint
from lookalike.data.benchmarks import BENCHMARKS
from lookalike.data.benchmarks.benchmark import Published
from lookalike.errors import CatalogError, UsageError

STYLES = ("noto", "twemoji", "fluent", "openmoji")


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


def test_320_concepts_in_four_styles_split_by_concept():
    catalog = demo_catalog()
    assert len(catalog) == 1280
    assert len(catalog.class_names) == 320
    assert (catalog.counts() == 4).all()
    for code in catalog.classes.tolist():
        styles = [catalog.groups[i] for i in np.flatnonzero(catalog.labels == code)]
        assert sorted(str(style) for style in styles) == sorted(STYLES)
    assert len(catalog.split("train").classes) == len(catalog.split("test").classes) == 160
    assert require_disjoint(catalog) == ()


def test_pictures_are_there_and_small():
    catalog = demo_catalog()
    for i in range(0, len(catalog), 40):
        with Image.open(catalog.path(i)) as picture:
            assert picture.mode == "RGB"
            assert picture.size in {(64, 64), (72, 72)}


def test_licences_travel_with_the_pictures():
    text = files("lookalike.data").joinpath("emoji", "LICENSES.md").read_text(encoding="utf-8")
    for licence in ("Apache-2.0", "CC-BY-4.0", "CC-BY-SA-4.0", "MIT License"):
        assert licence in text
    for style in STYLES:
        assert f"{style}.png" in text
    assert "Copyright (c) Microsoft Corporation" in text
