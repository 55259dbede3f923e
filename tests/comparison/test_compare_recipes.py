"""A comparison from Python: from names of pictures and recipes to files."""

import json
from dataclasses import replace

import pytest

from lookalike.comparison import Comparison, compare
from lookalike.comparison.compare_recipes import open_recipe, with_data_named
from lookalike.errors import UsageError
from lookalike.recipes import emoji

SMALL = """
name: small
model:
  backbone: {kind: tiny, channels: [4, 8]}
  head: {kind: single}
  dim: 8
  preprocessing: {size: 16, fit: stretch}
objective: {loss: {kind: margin}}
augmentation: {crop: none}
train:
  {epochs: 1, classes_per_batch: 2, images_per_class: 2, batches_per_epoch: 1, validation_share: 0}
evaluation: {ks: [1, 2], clustering: false}
"""


def test_from_python_as_from_the_command_line(noise, tmp_path):
    recipe = tmp_path / "small.yaml"
    recipe.write_text(SMALL)
    said: list[str] = []
    report = compare(
        noise,
        tmp_path / "out",
        recipes=[recipe],
        vary={"model.dim": [4, 8]},
        seeds=[0],
        results=tmp_path / "kept" / "small",
        note="A remark.",
        say=said.append,
    )
    assert [row.variant for row in report.comparison.rows] == ["4", "8"]
    assert report.comparison.failures == ()
    assert said[0] == "1 of 2: 4/seed-0"
    assert said[-1].startswith("written: ")
    kept = json.loads((tmp_path / "kept" / "small.json").read_text())
    assert [row["dim"] for row in kept] == [4, 8]
    text = (tmp_path / "out" / "results.md").read_text()
    assert f"# 2 variants on {noise.root}\n" in text
    assert "vary={'model.dim': ['4', '8']}" in text
    assert "A remark." in text
    assert sorted(path.name for path in (tmp_path / "out").glob("results.*")) == [
        "results.html",
        "results.json",
        "results.md",
    ]


def test_what_cannot_be_run_leaves_nothing_behind(noise, tmp_path):
    with pytest.raises(UsageError, match="there is no recipe 'none'"):
        compare(noise, tmp_path / "out", recipes=["none"])
    with pytest.raises(UsageError, match=r"leave \.md away"):
        compare(noise, tmp_path / "out", recipes=["emoji"], results="x/a.md")
    assert not (tmp_path / "out").exists()


def test_a_recipe_is_a_name_a_file_or_itself(tmp_path):
    assert open_recipe("emoji") == emoji()
    (tmp_path / "r.yaml").write_text(SMALL)
    assert open_recipe(tmp_path / "r.yaml").name == "small"
    assert open_recipe(emoji()) == emoji()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "/a/b, split test: 40 pictures of 8 classes",
            "demo, split test: 40 pictures of 8 classes",
        ),
        ("C:\\a: b: 40 pictures of 8 classes", "demo: 40 pictures of 8 classes"),
        ("said otherwise", "said otherwise"),
    ],
)
def test_data_go_by_the_name_they_were_asked_for(comparison, before, after):
    row = replace(comparison.rows[0], data=before)
    (named,) = with_data_named(Comparison((row,), (), 0), "demo").rows
    assert named == replace(row, data=after)
