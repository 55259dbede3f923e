"""`lookalike compare` on a few drawn figures: runs, files, exit codes."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lookalike import comparison
from lookalike.cli import main
from lookalike.cli.compare import split_values
from lookalike.data import PartsSpec, write_parts

TINY = """
name: small
model:
  backbone: {kind: tiny, channels: [4, 8]}
  head: {kind: single}
  dim: 8
  preprocessing: {size: 32, fit: stretch}
objective: {loss: {kind: margin}}
augmentation: {crop: none}
train: {epochs: 9, classes_per_batch: 2, images_per_class: 2, batches_per_epoch: 2}
evaluation: {ks: [1, 2], seeds: [0]}
"""
Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(monkeypatch, capsys) -> Call:
    """Run the command; give its exit code, stdout and stderr."""

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["lookalike", "compare", *map(str, arguments)])
        with pytest.raises(SystemExit) as done:
            main()
        return int(done.value.code or 0), *capsys.readouterr()

    return run


@pytest.fixture(scope="module")
def figures(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("figures")
    write_parts(root, classes=8, images_per_class=2, seed=0, spec=PartsSpec(size=32))
    (root / "tiny.yaml").write_text(TINY)
    return root


def test_a_grid_from_a_file_to_files(call, figures, tmp_path, monkeypatch):
    monkeypatch.chdir(figures)
    (tmp_path / "note.md").write_text("It was |so|.\n")
    request = (
        *("catalog.csv", "--recipe", "tiny.yaml", "--set", "train.epochs=1"),
        *("--vary", "head=single,attentive", "--vary", "loss=margin,binomial", "--seeds", "0, 1"),
        *("--out", tmp_path / "out", "--results", tmp_path / "kept" / "small.v1"),
        *("--note", f"@{tmp_path / 'note.md'}"),
    )
    code, out, err = call(*request)
    assert code == 0, err
    assert "1 of 8: single-margin/seed-0\n" in err
    assert "8 of 8: attentive-binomial/seed-1\n" in err
    assert out.splitlines()[4].startswith("attentive-binomial      2  ")
    assert "By R@1, mean of 2 seeds: " in out

    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == [
        "small.v1.json",
        "small.v1.md",
    ]
    rows = json.loads((tmp_path / "kept" / "small.v1.json").read_text())
    assert [(row["head"], row["loss"], row["seed"]) for row in rows[1:4]] == [
        ("single", "margin", 1),
        ("single", "binomial", 0),
        ("single", "binomial", 1),
    ]
    assert {row["data"] for row in rows} == {
        "catalog.csv, split test: 8 pictures of 4 classes",
    }
    assert {row["part_information_tokens"] for row in rows if row["head"] == "single"} == {0.0}
    assert all(row["part_information_attention"] >= 0 for row in rows)
    assert all(row["milliseconds_per_image"] > 0 for row in rows)
    told = (tmp_path / "kept" / "small.v1.md").read_text()
    assert "# 4 variants on catalog.csv\n" in told
    assert "## Reading\n\nIt was |so|.\n" in told
    assert "\nlookalike compare catalog.csv --recipe tiny.yaml --set train.epochs=1 --vary " in told
    page = (tmp_path / "out" / "results.html").read_text()
    assert "<title>attentive-binomial: R@1 " in page
    config = json.loads(
        (tmp_path / "out" / "attentive-margin" / "seed-1" / "config.json").read_text()
    )
    assert config["recipe"]["train"]["epochs"] == 1
    assert config["recipe"]["model"]["head"]["kind"] == "attentive"

    code, out, err = call(*request, "--json")
    assert code == 0
    assert err.count(" is finished\n") == 8
    again = json.loads(out)
    assert [row["recall_at_1"] for row in again] == [row["recall_at_1"] for row in rows]


def test_explanations_of_each_run_on_request(call, figures, tmp_path):
    request = (
        *(figures / "catalog.csv", "--recipe", figures / "tiny.yaml", "--set", "train.epochs=1"),
        *("--seeds", "0", "--out", tmp_path / "out"),
    )
    code, _, err = call(*request, "--explanations", "2")
    assert code == 0, err
    assert "1 of 1: small/seed-0: measuring explanations" in err
    (row,) = json.loads((tmp_path / "out" / "results.json").read_text())
    assert row["explanation_pairs"] == 2
    assert 0 <= row["pointing_exact"] <= 1
    written = (tmp_path / "out" / "results.md").read_text()
    assert "## Explanations: where maps point" in written
    assert "How good the explanations are" in (tmp_path / "out" / "results.html").read_text()


def test_a_failed_run_is_told_and_the_others_are_made(call, figures, tmp_path):
    code, out, err = call(
        *(figures / "catalog.csv", "--recipe", figures / "tiny.yaml", "--out", tmp_path),
        *("--set", "train.epochs=1", "--vary", "model.head.stage=99,1", "--seeds", "0"),
    )
    assert code == 1
    assert "Traceback" not in err
    assert "99/seed-0 failed: " in err
    assert "2 of 2: 1/seed-0" in err
    assert "1 of 2 runs failed" in out
    assert "There is one variant, 1 " in out
    assert [row["variant"] for row in json.loads((tmp_path / "results.json").read_text())] == ["1"]
    assert "## Runs that failed\n\n- `99/seed-0`: " in (tmp_path / "results.md").read_text()


def test_who_stops_it_is_told_how_to_go_on(call, figures, tmp_path, monkeypatch):
    def stop(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(comparison, "compare", stop)
    code, out, err = call(figures / "catalog.csv", "--recipe", "emoji", "--out", tmp_path / "o o")
    assert (code, out) == (1, "")
    assert "Go on with the same command: lookalike compare" in err
    assert f"'{tmp_path}/o o'" in err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--vary", "head"], "KEY=V1,V2"),
        (["--vary", "head=single,"], "KEY=V1,V2"),
        (["--vary", "head=single", "--vary", "head=gated"], "head is varied already"),
        (["--vary", "head=sinlge"], "sinlge"),
        (["--vary", "train.epoch=1"], "train.epoch"),
        (["--seeds", "0,b"], "whole numbers"),
        (["--seeds", "0,0"], "twice"),
        (["--recipe", "none"], "there is no recipe 'none'"),
        (["--recipe", "none.yaml"], "none.yaml: cannot read"),
        (["--note", "@none.txt"], "--note @none.txt"),
        (["--explanations", "0"], "--explanations"),
        (["--methods", "exact"], "goes with --explanations"),
        (["--explanations", "2", "--methods", "exakt"], "there is no method 'exakt'"),
        (["--results", "a/b.md"], "leave .md away"),
        (["--set", "train.epochs=none"], "train.epochs"),
    ],
)
def test_wrong_requests_cost_nothing(call, figures, tmp_path, monkeypatch, words, told):
    monkeypatch.chdir(tmp_path)
    code, out, err = call(figures / "catalog.csv", "--out", tmp_path / "out", *words)
    assert (code, out) == (2, "")
    assert told in err
    assert not (tmp_path / "out").exists()


def test_a_file_in_the_place_of_a_folder(call, figures, tmp_path):
    (tmp_path / "file").touch()
    code, _, err = call(figures / "catalog.csv", "--out", tmp_path / "file")
    assert code == 2
    assert "is a file" in err


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a", ["a"]),
        ("[1,2],[3]", ["[1,2]", "[3]"]),
        ("{kind: gated, groups: 2}, b", ["{kind: gated, groups: 2}", "b"]),
        ("a,,b", ["a", "", "b"]),
    ],
)
def test_values_are_split_outside_of_brackets(text, values):
    assert split_values(text) == values
