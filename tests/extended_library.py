"""Looks for each addition of docs/extending.md; run by test_extending.py on a copy of the library.

Everything is small: eight classes of six pictures of 32 pixels, a tiny backbone, one epoch.
"""

import json
import sys
from pathlib import Path

import numpy as np
from PIL import Image
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli.app import app
from lookalike.explanation.measures import MEASURES
from lookalike.explanation.saliency import METHODS

RECIPE = """
name: small
model:
  backbone: {kind: tiny, channels: [4, 8]}
  head: {kind: single}
  dim: 8
  preprocessing: {size: 32, fit: stretch}
objective: {loss: {kind: margin}}
augmentation: {crop: none}
split: {test_share: 0.5}
train: {epochs: 1, batches_per_epoch: 2, classes_per_batch: 2, images_per_class: 2}
evaluation: {ks: [1, 2], seeds: [0], clustering: false}
"""


def lookalike(*words: object) -> str:
    """Run a command, which must succeed, and return what it prints."""
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, f"{words}\n{done.output}\n{done.exception!r}"
    return done.stdout


def draw(root: Path) -> None:
    random = np.random.default_rng(0)
    for label in "abcdefgh":
        (root / label).mkdir(parents=True)
        for number in range(6):
            pixels = random.integers(0, 255, (32, 32, 3), np.uint8)
            Image.fromarray(pixels).save(root / label / f"{number}.png")


def main(place: Path) -> None:
    draw(place / "data")
    (place / "small.yaml").write_text(RECIPE, encoding="utf-8")
    grid = place / "grid"
    chosen = ("--vary", "head=single,centred", "--vary", "loss=margin,hinge", "--seeds", "0")
    measured = ("--explanations", "4", "--methods", "exact,gaussian")
    compared = lookalike(
        "compare",
        place / "data",
        "--out",
        grid,
        "--recipe",
        place / "small.yaml",
        *chosen,
        *measured,
    )
    assert "centred-hinge" in compared

    # The head and the loss: trained, saved, loaded, explained.
    run = grid / "centred-hinge" / "seed-0"
    model = la.load(run)
    assert model.config.head.kind == "centred"
    assert "hinge" in (run / "recipe.yaml").read_text(encoding="utf-8")
    a, b = place / "data" / "a" / "0.png", place / "data" / "a" / "1.png"
    assert la.explain(model, a, b).gap < 1e-5

    # The question: a command, and a function.
    assert "peak" in lookalike("explain", "--help")
    assert "which place" in " ".join(lookalike("explain", "peak", "--help").split()).lower()
    answer = json.loads(
        lookalike("explain", "peak", run, a, b, "--json", "--out", place / "peak.html")
    )
    assert la.questions.QUESTIONS["peak"](model, a, b).value == answer["value"]
    assert "gives most" in (place / "peak.html").read_text(encoding="utf-8")

    # The metric: in the table, the report and the comparison.
    assert '"reciprocal_rank"' in lookalike("evaluate", run, place / "data", "--json")
    assert "reciprocal_rank" in lookalike("evaluate", run, place / "data")
    rows = json.loads((grid / "results.json").read_text(encoding="utf-8"))
    assert all(0 < row["reciprocal_rank"] <= 1 for row in rows)
    assert "MRR" in (grid / "results.md").read_text(encoding="utf-8")

    # The measure and the method: in the report and the comparison.
    assert "middle" in MEASURES
    assert "gaussian" in METHODS
    assert all(0 <= row["middle_exact"] <= 1 for row in rows)
    (share,) = {round(row["middle_gaussian"], 6) for row in rows}  # the same map in every run
    assert 0.25 < share < 1
    assert "Explanations: middle" in (grid / "results.md").read_text(encoding="utf-8")
    told = place / "explained"
    more = ("--explanations", told, "--pairs", "4", "--methods", "exact,gaussian")
    lookalike("evaluate", run, place / "data", *more)
    for name in ("explanations.md", "explanations.html"):
        text = (told / name).read_text(encoding="utf-8")
        assert "Gaussian in the middle" in text, name
        assert "in the middle quarter" in text, name


if __name__ == "__main__":
    main(Path(sys.argv[1]))
