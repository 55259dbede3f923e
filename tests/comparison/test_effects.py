"""What varying a key does to R@1."""

import pytest

from lookalike.comparison import Comparison, ComparisonReport, to_html, to_markdown
from lookalike.comparison.comparison_tables import effects

HEAD, GROUPS, BRANCH = "model.head.kind", "model.head.groups", "model.head.branch"


def test_a_line_for_each_combination_of_the_others(by_groups):
    (effect,) = effects(by_groups)  # kinds of head have no order
    assert (effect.key, effect.title) == ("groups", "Effect of groups (model.head.groups)")
    assert effect.values == ("1", "2", "8")
    assert [line.name for line in effect.lines] == [
        "ensemble",
        "ensemble, one learner, mean",
        "multihead",
        "multihead, one learner, mean",
    ]
    whole, alone, other, _ = effect.lines
    assert [over.mean for over in whole.values] == pytest.approx([0.52, 0.53, 0.59])
    assert alone.values[0] is None  # one learner is the whole
    assert [over.mean for over in alone.values[1:]] == pytest.approx([0.43, 0.49])
    assert other.values[1] is None
    assert other.values[0].values == pytest.approx((0.41, 0.43))
    assert other.values[2].values == pytest.approx((0.48, 0.50))


def test_numbers_are_sorted_as_numbers_and_branches_as_they_were_asked_for(make_row):
    def of(key, values):
        rows = [make_row(v, measures={"recall_at_1": 0.5}, varied={key: v}) for v in values]
        return [effect.values for effect in effects(Comparison(tuple(rows), (), 0))]

    assert of("train.optimizer.lr", ["1e-2", "0.3", "1e-3"]) == [("1e-3", "1e-2", "0.3")]
    assert of(BRANCH, ["layer4", "layer2", "layer3"]) == [("layer4", "layer2", "layer3")]
    assert of(BRANCH, ["-1", "-2"]) == [("-1", "-2")]
    assert of(HEAD, ["single", "gated"]) == []
    assert of("train.clip_norm", ["10", "null"]) == []
    assert of(GROUPS, ["4"]) == []


def test_recipes_and_other_keys_name_the_lines(make_row):
    rows = tuple(
        make_row(
            f"{recipe}-{loss}-{dim}",
            measures={"recall_at_1": 0.5},
            recipe=recipe,
            varied={"objective.loss.kind": loss, "model.dim": dim},
        )
        for recipe in ("one", "two")
        for loss in ("margin", "binomial")
        for dim in ("64", "512")
    )
    (effect,) = effects(Comparison(rows, (), 0))
    assert [line.name for line in effect.lines] == [
        "one-margin",
        "one-binomial",
        "two-margin",
        "two-binomial",
    ]
    alone = Comparison(rows[:2], (), 0)
    assert [line.name for line in effects(alone)[0].lines] == ["margin"]


def test_rows_that_vary_nothing_have_no_effects(comparison):
    assert effects(comparison) == ()
    report = ComparisonReport(comparison, title="T", command="c")
    assert "Effect" not in to_markdown(report)
    assert "What varying" not in to_html(report)


def test_the_table_of_an_effect(by_groups):
    text = to_markdown(ComparisonReport(by_groups, title="T", command="c"))
    table = text[text.index("## Effect of groups") :].splitlines()[2:8]
    assert table == [
        "|  | 1 | 2 | 8 |",
        "| --- | ---: | ---: | ---: |",
        "| ensemble | 0.520 ± 0.014 | 0.530 ± 0.014 | 0.590 ± 0.014 |",
        "| ensemble, one learner, mean | – | 0.430 ± 0.014 | 0.490 ± 0.014 |",
        "| multihead | 0.420 ± 0.014 | – | 0.490 ± 0.014 |",
        "| multihead, one learner, mean | – | – | 0.390 ± 0.014 |",
    ]
