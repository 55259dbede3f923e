"""Reports: every number with its definition, in every form."""

import json

import numpy as np
import pytest
import torch

import lookalike as la
from lookalike.errors import UsageError
from lookalike.evaluation import Report, evaluate
from lookalike.evaluation.report import definition


@pytest.fixture(scope="module")
def report(coloured):
    torch.manual_seed(0)
    model = la.create_model("tiny", dim=8)
    found = evaluate(model, coloured, ks=(1, 10), seeds=(0, 1))
    return Report(
        metrics=found.metrics,
        counts={"queries": 30, "queries_without_positives": 0},
        mode="A",
        data="birds [test]: 30 pictures",
        procedure=("ties go to the lower id",),
        notes=("WARNING: 2 classes were trained on",),
    )


def test_metrics_and_their_order(report):
    """Files of earlier versions have these keys."""
    assert list(report.metrics) == [
        "recall_at_1",
        "recall_at_10",
        "map_at_r",
        "r_precision",
        "precision_at_1",
        "precision_at_10",
        "ir_recall_at_1",
        "ir_recall_at_10",
        "map_dgml",
        "map_dgml_cap",
        "recall_at_1_worst",
        "recall_at_1_best",
        "tie_share_at_1",
        "tie_share_at_10",
        "nmi",
        "ami",
        "f1",
        "nmi_spread",
        "ami_spread",
        "f1_spread",
    ]


def test_a_definition_names_the_rank():
    assert definition("recall_at_10").endswith("among the first 10")
    assert "ranks 4 and 5" in definition("tie_share_at_4")
    assert definition("ami_spread") == "standard deviation of ami over the seeds"
    assert definition("accuracy") == definition("recall_at_x") == definition("loss_spread") == ""


def test_every_number_has_a_definition(report):
    assert all(map(definition, report.metrics))


def test_json(report):
    data = json.loads(report.to_json())
    assert data["metrics"] == report.metrics
    assert data["definitions"] == {key: definition(key) for key in report.metrics}
    assert data["counts"]["queries"] == 30
    assert data["notes"] == list(report.notes)


def test_every_form_shows_every_number_the_counts_and_the_notes(report):
    for text in (report.to_markdown(), report.to_text()):
        for name, value in report.metrics.items():
            line = next(line for line in text.splitlines() if f"{name} " in line)
            assert f"{value:.4f}" in line
            assert definition(name) in line
        assert "30 queries, 0 queries without positives" in text
        assert report.notes[0] in text
        assert report.procedure[0] in text
        assert "birds [test]: 30 pictures" in text


def test_save(report, tmp_path):
    report.save(tmp_path / "r.json")
    report.save(tmp_path / "r.md")
    assert json.loads((tmp_path / "r.json").read_text("utf-8")) == report.to_dict()
    assert "| map_at_r |" in (tmp_path / "r.md").read_text("utf-8")
    with pytest.raises(UsageError, match=r"written as \.json or \.md"):
        report.save(tmp_path / "r.txt")


def test_values_go_under_their_own_names():
    """R@2, P@2 and IR R@1 of a ranking where all three differ, by hand."""
    x = np.array([[1.0, 0.0], [0.8, 0.6], [0.7, 0.7], [0.0, 1.0]])
    result = la.metrics.retrieval(x, [0, 1, 0, 1], ks=(1, 2))
    named = result.metrics
    # Neighbours, best first: 0: 1 2 3; 1: 2 0 3; 2: 1 0 3; 3: 2 1 0.
    assert named["recall_at_1"] == 0
    assert named["recall_at_2"] == result.recall_at[2] == 3 / 4
    assert named["precision_at_2"] == result.precision_at[2] == 3 / 8
    assert named["ir_recall_at_1"] == result.ir_recall_at[1] == 0
    assert named["map_at_r"] == result.map_at_r == 0
    assert named["map_dgml"] == result.map_dgml == 3 / 16
    assert named["map_dgml_cap"] == result.map_dgml_cap == 1 / 2
