"""Sentences, compared with numbers worked out by hand."""

from dataclasses import replace

from lookalike.comparison import RUN_MEASURES, Comparison, FailedRun
from lookalike.comparison.run_measures import level_recalls
from lookalike.comparison.verdict import verdict
from lookalike.evaluation import Metric

LEARNERS = {
    "recall_at_1_of_learners_mean": 0.4,
    "recall_at_1_of_learners_lowest": 0.3,
    "recall_at_1_of_learners_highest": 0.5,
    "self_pair_cosine_mean": 0.25,
    "self_pair_cosine_deviation": 0.125,
}


def test_the_verdict_says_how_alike_learners_are_and_ranks_no_description(make_row):
    rows = (
        make_row("a", measures={"recall_at_1": 0.5} | LEARNERS),
        make_row("b", measures={"recall_at_1": 0.6} | LEARNERS | {"self_pair_cosine_mean": 0.5}),
        make_row("c", measures={"recall_at_1": 0.7}),
    )
    said = verdict(Comparison(rows, (), 0))
    assert "Mean cosine of two learners on the same picture: a 0.250, b 0.500." in said
    assert not any("By self-pair" in sentence for sentence in said)
    (_, alone) = verdict(Comparison(rows[:1], (), 0))
    assert alone == "Mean cosine of two learners on the same picture: a 0.250."


def test_a_run_that_failed_to_be_measured_counts_once(comparison):
    again = FailedRun("gated-margin/seed-0", "no map")
    summary = replace(comparison, failures=(*comparison.failures, again))
    assert verdict(summary)[-1] == "2 of 12 runs failed; means are over what was measured."


def test_the_verdict_follows_from_the_numbers(comparison):
    assert verdict(comparison) == (
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
    said = verdict(Comparison(tuple(rows), (), 0))
    assert said[0].endswith(
        "mean of 1 seed: b 0.700, a 0.300. Where there is one seed, nothing says which "
        "differences are chance."
    )
    assert said[1] == "b (0.700) is above a (0.300) by 0.400."
    assert said[2] == "By part bits, tokens: a (0.700) is above b (0.300) by 0.400."
    assert not any("ahead" in sentence or "With" in sentence for sentence in said)


def test_one_seed_among_more_leaves_its_differences_open(comparison, make_row):
    lone = make_row("pooled-margin", measures={"recall_at_1": 0.45})
    order = verdict(replace(comparison, rows=(*comparison.rows, lone)))[0]
    assert "single-margin 0.500, pooled-margin 0.450, single-binomial 0.400. Here >" in order
    assert order.endswith("Where there is one seed, nothing says which differences are chance.")


def test_where_there_is_nothing_to_compare_the_verdict_says_so(make_row):
    assert "nothing to compare" in verdict(Comparison((), (FailedRun("a/seed-0", ""),), 0))[0]
    alone = Comparison((make_row("a", measures={"recall_at_1": 0.3}),), (), 0)
    assert verdict(alone) == ("There is one variant, a 0.300: nothing to compare it with.",)


def test_of_a_metric_where_less_is_better_the_lowest_is_first(make_row, monkeypatch):
    lower = Metric(key="regret", label="regret", meaning="", better="lower")
    monkeypatch.setitem(RUN_MEASURES, level_recalls, (lower,))
    rows = tuple(
        make_row(name, measures={"recall_at_1": 0.5, "regret": value})
        for name, value in (("a", 0.3), ("b", 0.7))
    )
    said = verdict(Comparison(rows, (), 0))
    assert "By regret: a (0.300) is above b (0.700) by 0.400." in said
