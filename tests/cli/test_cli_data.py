"""`lookalike data prepare` and `draw`, and data sets by name, run in this process."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from lookalike.cli import main
from lookalike.data import benchmarks, read_masks
from lookalike.data.benchmarks import Published

HEADER = "image_id class_id super_class_id path\n"
Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(monkeypatch, capsys) -> Call:
    """Run a command; give its exit code, stdout and stderr."""

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["lookalike", *map(str, arguments)])
        with pytest.raises(SystemExit) as done:
            main()
        return int(done.value.code or 0), *capsys.readouterr()

    return run


@pytest.fixture
def small_sop(tmp_path, monkeypatch) -> Path:
    """Two articles for training and two for the test; the literature is made to count as many."""
    root = tmp_path / "a copy"
    for part, classes in (("train", (1, 2)), ("test", (3, 4))):
        rows = [f"{9 * c + i} {c} 1 mug_final/{c}_{i}.JPG" for c in classes for i in range(3)]
        root.mkdir(exist_ok=True)
        (root / f"Ebay_{part}.txt").write_text(HEADER + "\n".join(rows) + "\n")
        for row in rows:
            path = root / row.split()[-1]
            path.parent.mkdir(exist_ok=True)
            path.touch()
    published = (Published("train", 6, 2), Published("test", 6, 2))
    whole = replace(benchmarks.BENCHMARKS["sop"], published=published)
    monkeypatch.setitem(benchmarks.BENCHMARKS, "sop", whole)
    return root


def test_prepare_tells_of_a_complete_copy_and_how_to_train_on_it(call, small_sop):
    code, out, err = call("data", "prepare", "sop", small_sop)
    assert (code, err) == (0, "")
    first, *_, last = out.splitlines()
    assert first.startswith("Stanford Online Products: official tree (")
    assert first.endswith(str(small_sop))
    assert "train: 6 images of 2 classes, as published" in out
    assert "boxes: none" in out
    assert "listed by super class: mug 12" in out
    assert last == f"train on it: lookalike train 'sop:{small_sop}' --out runs/sop"


def test_prepare_names_what_is_missing(call, small_sop):
    for i in range(3):
        (small_sop / "mug_final" / f"3_{i}.JPG").unlink()
    code, out, _ = call("data", "prepare", "sop", small_sop)
    assert code == 1
    assert "test: expected 6 images of 2 classes, found 3 images of 1 classes" in out
    assert "3 (mug_final/3_0.JPG, mug_final/3_1.JPG, mug_final/3_2.JPG)" in out
    assert out.splitlines()[-1].endswith("--out runs/sop --allow-partial")
    code, again, _ = call("data", "prepare", "sop", small_sop, "--allow-partial")
    assert (code, again) == (0, out)


def test_prepare_without_a_single_picture_fails_even_if_partial_is_allowed(call, small_sop):
    for path in (small_sop / "mug_final").iterdir():
        path.unlink()
    code, out, _ = call("data", "prepare", "sop", small_sop, "--allow-partial")
    assert code == 1
    assert "and 2 more" in out
    assert "lookalike train" not in out


def test_prepare_speaks_json(call, small_sop):
    (small_sop / "mug_final" / "3_0.JPG").unlink()
    code, out, _ = call("data", "prepare", "sop", small_sop, "--json")
    told = json.loads(out)
    assert code == 1
    assert told["ok"] is False
    assert told["missing"] == ["mug_final/3_0.JPG"]
    assert told["parts"][1]["images"] == 5
    assert told["train"].split()[:2] == ["lookalike", "train"]


def test_prepare_of_what_is_not_there_says_what_to_get(call, tmp_path):
    code, out, err = call("data", "prepare", "sop", tmp_path / "none")
    assert (code, out) == (2, "")
    assert "none: no such folder" in err
    assert "Stanford_Online_Products.zip" in err
    code, _, err = call("data", "prepare", "inshop", tmp_path)
    assert code == 2
    assert "Img/img.zip" in err
    code, _, err = call("data", "prepare", "imagenet", tmp_path)
    assert code == 2
    assert "no benchmark is called 'imagenet': take one of cub, cars, sop, inshop" in err


TINY = """
model: {backbone: {kind: tiny, channels: [8]}, dim: 8, preprocessing: {size: 32}}
augmentation: {crop: none}
train: {epochs: 1, classes_per_batch: 2, images_per_class: 2, validation_share: 0}
evaluation: {ks: [1], clustering: false}
"""


@pytest.mark.slow
def test_commands_take_data_sets_by_name(small_sop, tmp_path):
    for number, path in enumerate(sorted((small_sop / "mug_final").iterdir())):
        Image.new("RGB", (40, 40), (20 * number, 90, 60)).save(path, "JPEG")
    (small_sop / "mug_final" / "3_0.JPG").unlink()
    (tmp_path / "tiny.yaml").write_text(TINY)
    data, run, vectors = f"sop:{small_sop}", tmp_path / "run", tmp_path / "e.parquet"
    train = ("train", data, "--out", run, "--config", tmp_path / "tiny.yaml", "--json")

    refused = process(*train)
    assert refused.returncode == 2
    assert "mug_final/3_0.JPG" in refused.stderr
    assert not run.exists()
    trained = process(*train, "--allow-partial")
    assert trained.returncode == 0, trained.stderr
    assert "warning: " in trained.stderr
    assert json.loads(trained.stdout)["counts"]["queries"] == 5
    measured = process("evaluate", run, data, "--allow-partial", "--json")
    assert json.loads(measured.stdout)["counts"]["queries"] == 5
    embed = ("embed", run, data, "--out", vectors, "--split", "train")
    assert process(*embed).returncode == 2
    assert process(*embed, "--allow-partial").stdout.startswith("6 pictures")


def process(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from lookalike.cli import main; main()"]
    return subprocess.run(
        [*command, *map(str, arguments)], capture_output=True, text=True, check=False
    )


def test_draw_writes_pictures_masks_and_a_catalog(call, tmp_path):
    out = tmp_path / "drawn"
    options = ("--classes", 4, "--images-per-class", 2, "--size", 32, "--test-share", 0.25)
    code, said, _ = call("data", "draw", out, *options, "--json")
    told = json.loads(said)
    assert code == 0
    assert (told["images"], told["classes"]) == (8, 4)
    assert len(list((out / "masks").glob("*/*.png"))) == 8
    rows = Path(told["catalog"]).read_text().splitlines()[1:]
    assert [row.rsplit(",", 1)[1] for row in rows] == ["train"] * 6 + ["test"] * 2
    masks = read_masks(out / rows[0].split(",")[0])
    assert list(masks) == list(told["parts"])
    assert masks["body"].shape == (32, 32)


def test_draw_says_where_the_masks_are_and_overwrites_nothing(call, tmp_path):
    options = ("--classes", 2, "--images-per-class", 1, "--size", 32)
    code, said, _ = call("data", "draw", tmp_path, *options)
    assert code == 0
    assert f"2 pictures of 2 classes: {tmp_path / 'catalog.csv'}" in said
    assert f"{tmp_path / 'masks'} (pixels are 0 background, 1 head, 2 body" in said
    before = sorted(tmp_path.rglob("*"))
    code, said, err = call("data", "draw", tmp_path, *options)
    assert (code, said) == (2, "")
    assert "not an empty folder" in err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [("--size", 8, "size"), ("--variants", 6, "variants"), ("--classes", 999, "1 to 256")],
)
def test_draw_of_what_cannot_be_drawn(call, tmp_path, option, value, words):
    code, _, err = call("data", "draw", tmp_path / "new", option, value)
    assert code == 2
    assert words in err
