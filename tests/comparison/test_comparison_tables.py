"""Columns, marks and notes of the tables, compared with numbers worked out by hand."""

from dataclasses import replace

import pytest

from lookalike.comparison import Comparison, FailedRun
from lookalike.comparison.comparison_tables import COSTS, columns, main_table
from lookalike.comparison.runs import told_apart
from lookalike.comparison.verdict import ranked
from lookalike.data import demo_catalog
from lookalike.evaluation import CLUSTERING_METRICS, ClusteringMetric, OverSeeds, Report
from lookalike.heads import Single
from lookalike.model import create_model
from lookalike.preprocessing import Preprocessing
from lookalike.recipes import EvaluationConfig
from lookalike.rendering.tables import TableCell

NO = TableCell("–")


def cells(comparison, label: str) -> dict[str, TableCell]:
    shown = main_table(comparison)
    place = [column.label for column in shown.columns].index(label)
    return {row[0].text: row[place] for row in shown.cells}


def labels(comparison) -> list[str]:
    return [column.label for column in columns(comparison)]


LEARNERS = {
    "recall_at_1_of_learners_mean": 0.4,
    "recall_at_1_of_learners_lowest": 0.3,
    "recall_at_1_of_learners_highest": 0.5,
    "self_pair_cosine_mean": 0.25,
    "self_pair_cosine_deviation": 0.125,
}


def test_a_variant_is_its_runs_over_the_seeds(comparison):
    summary = comparison
    assert [variant.name for variant in summary.variants] == [
        "single-binomial",
        "single-margin",
        "gated-binomial",
        "gated-margin",
    ]
    gated = summary.variants[2].over_seeds("recall_at_1")
    assert gated.values == (0.5, 0.6, 0.7)
    assert (gated.mean, gated.spread) == (pytest.approx(0.6), pytest.approx(0.1))
    assert summary.variants[3].over_seeds("recall_at_1").spread == pytest.approx(0.01)
    assert summary.variants[0].over_seeds("parameters").mean == 2_000_000
    assert summary.variants[0].over_seeds("nonsense") is None
    assert [v.name for v, _ in ranked(summary.finished, "recall_at_1")] == [
        "gated-binomial",
        "gated-margin",
        "single-margin",
        "single-binomial",
    ]


def test_bold_is_the_best_and_the_others_are_held_against_the_larger_spread(comparison):
    assert cells(comparison, "R@1") == {
        "single-binomial": TableCell("0.400", "± 0.020"),  # 0.2 from the best, spreads 0.02 and 0.1
        "single-margin": TableCell("0.500", "± 0.020", "near"),  # just 0.1 from it
        "gated-binomial": TableCell("0.600", "± 0.100", "best"),
        "gated-margin": TableCell("0.550", "± 0.010", "near"),
    }


def test_of_costs_the_lowest_is_best_and_has_no_spread(comparison):
    assert cells(comparison, "params, M") == {
        "single-binomial": TableCell("2.00", "", "best"),
        "single-margin": TableCell("2.00", "", "best"),
        "gated-binomial": TableCell("3.00"),
        "gated-margin": TableCell("3.00"),
    }


def test_where_all_are_the_same_none_is_best(comparison):
    assert {cell.mark for cell in cells(comparison, "FLOPs, G").values()} == {""}
    assert set(cells(comparison, "NMI").values()) == {TableCell("0.800", "± 0.000")}


def test_one_seed_has_no_spread_and_nothing_is_near(make_row):
    rows = (
        make_row("a", measures={"recall_at_1": 0.5}),
        make_row("b", measures={"recall_at_1": 0.4999}),
    )
    one = Comparison(rows, (), 0)
    assert cells(one, "R@1") == {"a": TableCell("0.500", "", "best"), "b": TableCell("0.500")}
    assert "One seed a variant: there is no spread" in main_table(one).notes[0]
    assert "≈" not in main_table(one).notes[0]
    assert told_apart(OverSeeds((0.1,)), OverSeeds((0.8, 0.9))) is None


def test_what_was_measured_makes_the_columns(make_row):
    measures = {
        "recall_at_1": 0.5,
        "map_dgml": 0.2,
        "nmi_spread": 0.1,
        "part_information_tokens": 1,
    }
    rows = (make_row("a", measures=measures | {"beauty": 0.3}, milliseconds_per_image=None),)
    shown = columns(Comparison(rows, (), 0))
    assert [column.label for column in shown] == [
        "R@1",
        "mAP",
        "part bits, tokens",
        "beauty",
        "params, M",
        "FLOPs, G",
        "s/run",
    ]
    assert shown[2].meaning.startswith("mutual information, in bits")
    assert shown[3].meaning == ""


def test_learners_are_columns_where_there_are_some_and_what_describes_has_no_best(make_row):
    rows = (
        make_row("a", measures={"recall_at_1": 0.5} | LEARNERS),
        make_row("b", measures={"recall_at_1": 0.6, **{k: v / 2 for k, v in LEARNERS.items()}}),
        make_row("c", measures={"recall_at_1": 0.7}),
    )
    found = Comparison(rows, (), 0)
    shown = labels(found)
    assert shown[1:6] == [
        "R@1 of one learner, mean",
        "R@1 of one learner, lowest",
        "R@1 of one learner, highest",
        "self-pair cosine, mean",
        "self-pair cosine, deviation",
    ]
    assert cells(found, shown[1]) == {
        "a": TableCell("0.400", "", "best"),
        "b": TableCell("0.200"),
        "c": NO,
    }
    assert cells(found, shown[4]) == {"a": TableCell("0.250"), "b": TableCell("0.125"), "c": NO}
    assert {cell.mark for label in shown[2:6] for cell in cells(found, label).values()} == {""}
    alone = Comparison(rows[2:], (), 0)
    assert not any("learner" in label for label in labels(alone))


def test_a_report_brings_no_other_columns_than_the_usual(make_row):
    model = create_model("tiny", head=Single(), dim=8, preprocessing=Preprocessing(size=16))
    few = demo_catalog().split("test").subset(list(range(24)))
    report: Report = EvaluationConfig(seeds=(0,)).run(model, few)
    row = make_row("a", measures=dict(report.metrics))
    assert labels(Comparison((row,), (), 0)) == [
        *("R@1", "R@2", "MAP@R", "mAP", "NMI", "AMI", "F1"),
        *("params, M", "FLOPs, G", "ms/image", "s/run"),
    ]


def test_a_metric_that_is_added_to_the_registry_is_a_column(make_row, monkeypatch):
    regret = ClusteringMetric(
        key="regret", label="Regret", meaning="toy", better="lower", value=lambda *_: 0.5
    )
    monkeypatch.setitem(CLUSTERING_METRICS, "regret", regret)
    rows = tuple(
        make_row(name, measures={"recall_at_1": 0.5, "regret": value})
        for name, value in (("a", 0.3), ("b", 0.7))
    )
    found = Comparison(rows, (), 0)
    assert labels(found)[1] == "Regret"
    assert cells(found, "Regret")["a"].mark == "best"


def test_a_variant_that_only_failed_is_there_without_numbers(comparison):
    lost = FailedRun("channel-margin/seed-0", "no")
    shown = main_table(replace(comparison, failures=(*comparison.failures, lost)))
    assert [row[1] for row in shown.rows] == ["3", "3", "3", "2, 1 failed", "0, 1 failed"]
    assert set(shown.rows[-1][2:]) == {NO}


def test_the_cap_of_the_published_map_is_printed(comparison):
    assert "a perfect ranking gets 0.750" in main_table(comparison).notes[1]


def test_every_cost_is_a_number_of_a_row_and_less_is_better(make_row):
    row = make_row("a", measures={})
    assert all(row.to_dict()[key] > 0 for key in COSTS)
    shown = columns(Comparison((row,), (), 0))
    assert [metric.key for metric in shown] == list(COSTS)
    assert {metric.better for metric in shown} == {"lower"}
