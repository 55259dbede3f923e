"""Reports: every number with its definition, in every form."""

import io
import json

import numpy as np
import pytest
from rich.console import Console

from lookalike.errors import UsageError
from lookalike.evaluation.definitions import definition
from lookalike.evaluation.report import Report, clustering_metrics, retrieval_metrics
from lookalike.metrics import clustering, retrieval


@pytest.fixture(scope="module")
def report():
    random = np.random.default_rng(0)
    vectors, labels = random.standard_normal((30, 4)), np.arange(30) % 6
    metrics = retrieval_metrics(retrieval(vectors, labels, ks=(1, 10)))
    metrics |= clustering_metrics(clustering(vectors, labels))
    return Report(
        metrics=metrics,
        counts={"queries": 30, "queries_without_positives": 0},
        mode="A",
        data="birds [test]: 30 pictures",
        procedure=("ties go to the lower id",),
        notes=("WARNING: 2 classes were trained on",),
    )


def test_names(report):
    expected = {"recall_at_1", "recall_at_10", "precision_at_10", "ir_recall_at_1"}
    expected |= {"map_at_r", "r_precision", "map_dgml", "map_dgml_cap", "tie_share_at_10"}
    expected |= {"recall_at_1_worst", "recall_at_1_best", "nmi", "ami", "f1", "nmi_spread"}
    assert expected <= set(report.metrics)


def test_values_go_under_their_own_names():
    x = np.array([[1.0, 0.0], [0.8, 0.6], [0.7, 0.7], [0.0, 1.0]])
    result = retrieval(x, [0, 1, 0, 1], ks=(1, 2))
    named = retrieval_metrics(result)
    assert named["recall_at_2"] == result.recall_at[2] != named["precision_at_2"]
    assert named["precision_at_2"] == result.precision_at[2]
    assert named["ir_recall_at_1"] == result.ir_recall_at[1]
    assert named["map_at_r"] == result.map_at_r
    assert named["map_dgml_cap"] == result.map_dgml_cap == 0.5


def test_definitions_name_the_rank():
    assert definition("recall_at_10").endswith("among the first 10")
    assert "ranks 4 and 4+1" in definition("tie_share_at_4")
    assert definition("ami_spread") == "standard deviation of ami over the seeds"
    with pytest.raises(KeyError):
        definition("accuracy")


def test_json(report):
    data = json.loads(report.to_json())
    assert data["metrics"] == report.metrics
    assert set(data["definitions"]) == set(data["metrics"])
    assert data["counts"]["queries"] == 30
    assert data["notes"] == list(report.notes)


def test_every_form_shows_every_number_the_counts_and_the_notes(report):
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(report.to_table())
    for text in (report.to_markdown(), str(report), console.export_text()):
        for name, value in report.metrics.items():
            line = next(line for line in text.splitlines() if f"{name} " in line)
            assert f"{value:.4f}" in line
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
