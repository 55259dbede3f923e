"""Run folders that an earlier version wrote still load, score, explain and evaluate the same.

`grouped` (two attentive groups, one of them with a name) and `graph` (two levels of 8 nodes) were
trained for three epochs on drawn figures, by the version before the house was redrawn; that
version also wrote `expected.json`, on the pictures in `pictures`. Their `resume.pt` was left out.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli.app import app
from lookalike.recipes.run_folder import recipe_of

HERE = Path(__file__).parent
PICTURES = HERE / "pictures"
EXPECTED = json.loads((HERE / "expected.json").read_text("utf-8"))
CASES = [(run, pair) for run, found in EXPECTED.items() for pair in found["pairs"]]


def printed(*arguments):
    result = CliRunner().invoke(app, [*map(str, arguments), "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture(scope="module", params=EXPECTED)
def run(request):
    return request.param


@pytest.mark.parametrize(("run", "pair"), CASES, ids=lambda value: str(value)[:7])
def test_scores(run, pair):
    model = la.load(HERE / run)
    embedding = model.embed([PICTURES / pair["a"], PICTURES / pair["b"]])
    score = float(model.similarity.matrix(embedding, embedding)[0, 1])
    assert score == pytest.approx(pair["score"], abs=1e-5)
    assert model.calibration is not None
    same, different = pair["percentile_same"], pair["percentile_different"]
    assert model.calibration.percentile_same(score) == pytest.approx(same, abs=1e-2)
    assert model.calibration.percentile_different(score) == pytest.approx(different, abs=1e-2)


@pytest.mark.parametrize(("run", "pair"), CASES, ids=lambda value: str(value)[:7])
def test_explanations(run, pair):
    found = printed("explain", "pair", HERE / run, PICTURES / pair["a"], PICTURES / pair["b"])
    assert found["score"] == pytest.approx(pair["score"], abs=1e-5)
    assert found["gap"] < 1e-5
    assert {each["name"]: each["value"] for each in found["groups"]} == pytest.approx(
        pair["groups"], abs=1e-5
    )
    rows = [np.sum(picture["maps"], axis=(0, 2)) for picture in found["pictures"]]
    for mine, theirs in zip(rows, pair["map_rows"], strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-5)


def test_evaluation(run):
    settings = ("--set", "seeds=[0]", "--set", "ks=[1,2]")
    found = printed("evaluate", HERE / run, PICTURES, *settings)
    assert found["metrics"] == pytest.approx(EXPECTED[run]["metrics"], abs=1e-6)
    assert list(found["metrics"]) == list(EXPECTED[run]["metrics"])


def flat(record, prefix=""):
    """Return the values of nested dictionaries by their dotted keys."""
    if not isinstance(record, dict):
        return {prefix: record}
    nested = (flat(value, f"{prefix}.{key}") for key, value in record.items())
    return {key: value for each in nested for key, value in each.items()}


def test_the_recipe_is_the_one_that_was_written(run):
    """No key or value of it is lost; keys of later versions may have joined them."""
    recipe = flat(recipe_of(HERE / run).model_dump(mode="json"))
    stored = json.loads((HERE / run / "config.json").read_text("utf-8"))["recipe"]
    assert {key: recipe.get(key) for key in flat(stored)} == flat(stored)


def test_a_saved_copy_scores_the_same(run, tmp_path):
    model = la.load(HERE / run)
    la.save(model, tmp_path / "copy")
    copy = la.load(tmp_path / "copy")
    pictures = sorted(PICTURES.glob("*/*.png"))
    one, other = model.embed(pictures), copy.embed(pictures)
    assert (model.similarity.matrix(one, one) == copy.similarity.matrix(other, other)).all()
    assert (copy.class_names, copy.calibration) == (model.class_names, model.calibration)
