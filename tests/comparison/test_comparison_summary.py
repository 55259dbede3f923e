"""Means, spreads, marks and sentences, against numbers worked out by hand."""

from dataclasses import replace

import pytest

from lookalike.comparison import Comparison, Failure
from lookalike.comparison.cautions import cautions
from lookalike.comparison.columns import Cell, columns, table
from lookalike.comparison.summary import ranked, summarise, told_apart
from lookalike.comparison.verdict import verdict
from lookalike.data import demo_catalog
from lookalike.data.benchmarks import BENCHMARKS
from lookalike.evaluation import OverSeeds
from lookalike.evaluation.report import Report
from lookalike.heads import Single
from lookalike.model import create_model
from lookalike.preprocessing import Preprocessing
from lookalike.recipes import EvaluationConfig

NO = Cell("–")


def cells(comparison, label: str) -> dict[str, Cell]:
    shown = table(summarise(comparison))
    place = [column.label for column in shown.columns].index(label)
    return {name: row[place] for name, _, row in shown.rows}


def test_a_variant_is_its_runs_over_the_seeds(comparison):
    summary = summarise(comparison)
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
        "single-binomial": Cell("0.400", "± 0.020"),  # 0.2 from the best, spreads 0.02 and 0.1
        "single-margin": Cell("0.500", "± 0.020", "near"),  # just 0.1 from it
        "gated-binomial": Cell("0.600", "± 0.100", "best"),
        "gated-margin": Cell("0.550", "± 0.010", "near"),
    }


def test_of_costs_the_lowest_is_best_and_has_no_spread(comparison):
    assert cells(comparison, "params, M") == {
        "single-binomial": Cell("2.00", "", "best"),
        "single-margin": Cell("2.00", "", "best"),
        "gated-binomial": Cell("3.00"),
        "gated-margin": Cell("3.00"),
    }


def test_where_all_are_the_same_none_is_best(comparison):
    assert {cell.mark for cell in cells(comparison, "FLOPs, G").values()} == {""}
    assert set(cells(comparison, "NMI").values()) == {Cell("0.800", "± 0.000")}


def test_one_seed_has_no_spread_and_nothing_is_near(make_row):
    rows = (
        make_row("a", measures={"recall_at_1": 0.5}),
        make_row("b", measures={"recall_at_1": 0.4999}),
    )
    one = Comparison(rows, (), 0)
    assert cells(one, "R@1") == {"a": Cell("0.500", "", "best"), "b": Cell("0.500")}
    assert "One seed a variant: there is no spread" in table(summarise(one)).legend[0]
    assert "≈" not in table(summarise(one)).legend[0]
    assert told_apart(OverSeeds((0.1,)), OverSeeds((0.8, 0.9))) is None


def test_what_was_measured_makes_the_columns(make_row):
    measures = {
        "map_dgml": 0.2,
        "recall_at_1": 0.5,
        "nmi_spread": 0.1,
        "part_information_tokens": 1,
    }
    rows = (make_row("a", measures=measures | {"beauty": 0.3}, milliseconds_per_image=None),)
    shown = columns(summarise(Comparison(rows, (), 0)))
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


LEARNERS = {
    "recall_at_1_of_learners_mean": 0.4,
    "recall_at_1_of_learners_lowest": 0.3,
    "recall_at_1_of_learners_highest": 0.5,
    "self_pair_cosine_mean": 0.25,
    "self_pair_cosine_deviation": 0.125,
}


def test_learners_are_columns_where_there_are_some_and_what_describes_has_no_best(make_row):
    rows = (
        make_row("a", measures={"recall_at_1": 0.5} | LEARNERS),
        make_row("b", measures={"recall_at_1": 0.6, **{k: v / 2 for k, v in LEARNERS.items()}}),
        make_row("c", measures={"recall_at_1": 0.7}),
    )
    found = Comparison(rows, (), 0)
    labels = [column.label for column in columns(summarise(found))]
    assert labels[1:6] == [
        "R@1 of one learner, mean",
        "R@1 of one learner, lowest",
        "R@1 of one learner, highest",
        "self-pair cosine, mean",
        "self-pair cosine, deviation",
    ]
    assert cells(found, labels[1]) == {"a": Cell("0.400", "", "best"), "b": Cell("0.200"), "c": NO}
    assert cells(found, labels[4]) == {"a": Cell("0.250"), "b": Cell("0.125"), "c": NO}
    assert {cell.mark for label in labels[2:6] for cell in cells(found, label).values()} == {""}
    alone = Comparison(rows[2:], (), 0)
    assert not any("learner" in column.label for column in columns(summarise(alone)))


def test_the_verdict_says_how_alike_learners_are_and_ranks_no_description(make_row):
    rows = (
        make_row("a", measures={"recall_at_1": 0.5} | LEARNERS),
        make_row("b", measures={"recall_at_1": 0.6} | LEARNERS | {"self_pair_cosine_mean": 0.5}),
        make_row("c", measures={"recall_at_1": 0.7}),
    )
    said = verdict(summarise(Comparison(rows, (), 0)))
    assert "Mean cosine of two learners on the same picture: a 0.250, b 0.500." in said
    assert not any("By self-pair" in sentence for sentence in said)
    (_, alone) = verdict(summarise(Comparison(rows[:1], (), 0)))
    assert alone == "Mean cosine of two learners on the same picture: a 0.250."


def test_a_report_brings_no_other_columns_than_the_usual(make_row):
    """Whatever an evaluation measures is either a usual column or known not to be one."""
    model = create_model("tiny", head=Single(), dim=8, preprocessing=Preprocessing(size=16))
    few = demo_catalog().split("test").subset(list(range(24)))
    report: Report = EvaluationConfig(seeds=(0,)).run(model, few)
    row = make_row("a", measures=dict(report.metrics))
    labels = [column.label for column in columns(summarise(Comparison((row,), (), 0)))]
    assert labels[:7] == ["R@1", "R@2", "NMI", "AMI", "F1", "MAP@R", "mAP"]
    assert labels[7:] == ["params, M", "FLOPs, G", "ms/image", "s/run"]


def test_a_variant_that_only_failed_is_there_without_numbers(comparison):
    lost = Failure("channel-margin/seed-0", "no")
    shown = table(summarise(replace(comparison, failures=(*comparison.failures, lost))))
    assert [runs for _, runs, _ in shown.rows] == ["3", "3", "3", "2, 1 failed", "0, 1 failed"]
    assert set(shown.rows[-1][2]) == {Cell("–")}


def test_a_run_that_failed_to_be_measured_counts_once(comparison):
    again = Failure("gated-margin/seed-0", "no map")
    summary = summarise(replace(comparison, failures=(*comparison.failures, again)))
    assert verdict(summary)[-1] == "2 of 12 runs failed; means are over what was measured."


def test_the_cap_of_the_published_map_is_printed(comparison):
    assert "a perfect ranking gets 0.750" in table(summarise(comparison)).legend[1]


def test_the_verdict_follows_from_the_numbers(comparison):
    assert verdict(summarise(comparison)) == (
        "By R@1, mean of 2 to 3 seeds: gated-binomial 0.600 ≈ gated-margin 0.550 > "
        "single-margin 0.500 > single-binomial 0.400. Here > is ahead of the next by more than "
        "the larger of their two spreads, ≈ by no more.",
        "gated-binomial (0.600) and gated-margin (0.550) are not told apart: they differ by "
        "0.050, the spreads are 0.100 and 0.010.",
        "With binomial: gated-binomial (0.600) is ahead of single-binomial (0.400) by 0.200; the "
        "spreads are 0.100 and 0.020.",
        "With margin: gated-margin (0.550) is ahead of single-margin (0.500) by 0.050; the "
        "spreads are 0.010 and 0.020.",
        "gated-binomial costs 3.00 M parameters (1.50 times the lowest), 0.0900 GFLOPs a picture "
        "(as all), 2.00 ms a picture (as all).",
        "1 of 12 runs failed; means are over what was measured.",
    )


def test_with_one_seed_the_verdict_claims_no_more_than_a_difference(make_row):
    rows = [
        make_row(name, measures={"recall_at_1": value, "part_information_tokens": 1 - value})
        for name, value in (("a", 0.3), ("b", 0.7))
    ]
    said = verdict(summarise(Comparison(tuple(rows), (), 0)))
    assert said[0].endswith(
        "mean of 1 seed: b 0.700, a 0.300. Where there is one seed, nothing says which "
        "differences are chance."
    )
    assert said[1] == "b (0.700) is above a (0.300) by 0.400."
    assert said[2] == "By part bits, tokens: a (0.700) is above b (0.300) by 0.400."
    assert not any("ahead" in sentence or "With" in sentence for sentence in said)


def test_one_seed_among_more_leaves_its_differences_open(comparison, make_row):
    lone = make_row("pooled-margin", measures={"recall_at_1": 0.45})
    order = verdict(summarise(replace(comparison, rows=(*comparison.rows, lone))))[0]
    assert "single-margin 0.500, pooled-margin 0.450, single-binomial 0.400. Here >" in order
    assert order.endswith("Where there is one seed, nothing says which differences are chance.")


def test_where_there_is_nothing_to_compare_the_verdict_says_so(make_row):
    assert (
        "nothing to compare" in verdict(summarise(Comparison((), (Failure("a/seed-0", ""),), 0)))[0]
    )
    alone = Comparison((make_row("a", measures={"recall_at_1": 0.3}),), (), 0)
    assert verdict(summarise(alone)) == (
        "There is one variant, a 0.300: nothing to compare it with.",
    )


def test_pictures_that_limit_the_numbers(monkeypatch):
    demo = demo_catalog()
    assert cautions(demo) == ()
    (unsplit,) = cautions(demo.with_splits([None] * len(demo)))
    assert "each seed divides the classes anew" in unsplit
    both = demo.with_splits(["train", "test"] * (len(demo) // 2))
    (closed,) = cautions(both)
    assert closed.startswith("WARNING: 320 classes are in train and in test")
    (partial,) = cautions(demo, "cub")
    assert partial.startswith("WARNING: 1280 of 11788 pictures of CUB-200-2011 are there")
    whole = replace(BENCHMARKS["cub"].published[0], images=1280)
    monkeypatch.setitem(BENCHMARKS, "cub", replace(BENCHMARKS["cub"], published=(whole,)))
    assert cautions(demo, "cub") == ()
