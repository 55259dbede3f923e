"""What varying a key does, as numbers and as places on a drawing."""

from itertools import pairwise

import pytest

from lookalike.comparison import Comparison, ComparisonReport, Failure
from lookalike.comparison.effect_plots import effect_plots
from lookalike.comparison.effects import effects
from lookalike.comparison.markdown import to_markdown
from lookalike.comparison.page import to_html
from lookalike.comparison.summary import summarise

HEAD, GROUPS, BRANCH = "model.head.kind", "model.head.groups", "model.head.branch"


@pytest.fixture
def by_groups(make_row) -> Comparison:
    """Two heads with 8, 1 and 2 groups and two seeds; multihead with 2 groups failed."""
    rows = []
    for kind, base in (("ensemble", 0.5), ("multihead", 0.4)):
        for groups in (8, 1, 2):
            if (kind, groups) == ("multihead", 2):
                continue
            for seed in (0, 1):
                whole = base + groups / 100 + seed / 50
                alone = {"recall_at_1_of_learners_mean": whole - 0.1} if groups > 1 else {}
                rows.append(
                    make_row(
                        f"{kind}-{groups}",
                        seed,
                        measures={"recall_at_1": whole} | alone,
                        loss="margin",
                        varied={HEAD: kind, GROUPS: str(groups)},
                    )
                )
    return Comparison(tuple(rows), (Failure("multihead-2/seed-0", "no"),), 0)


def test_a_line_for_each_combination_of_the_others(by_groups):
    (effect,) = effects(summarise(by_groups))  # kinds of head have no order
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
        return [effect.values for effect in effects(summarise(Comparison(tuple(rows), (), 0)))]

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
    (effect,) = effects(summarise(Comparison(rows, (), 0)))
    assert [line.name for line in effect.lines] == [
        "one-margin",
        "one-binomial",
        "two-margin",
        "two-binomial",
    ]
    alone = Comparison(rows[:2], (), 0)
    assert [line.name for line in effects(summarise(alone))[0].lines] == ["margin"]


def test_rows_that_vary_nothing_have_no_effects(comparison):
    assert effects(summarise(comparison)) == ()
    assert "Effect" not in to_markdown(ComparisonReport(comparison, title="T", command="c"))
    assert "What varying" not in to_html(ComparisonReport(comparison, title="T", command="c"))


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


def test_values_stand_at_equal_steps_and_marks_at_their_numbers(by_groups):
    (plot,) = effect_plots(summarise(by_groups))
    places = [x for _, x in plot.values]
    assert places[1] - places[0] == pytest.approx(places[2] - places[1])
    whole, alone, other, _ = plot.lines
    assert [mark.y for mark in whole.marks] == pytest.approx(
        [plot.y.at(v) for v in (0.52, 0.53, 0.59)]
    )
    spread = 0.02 / 2**0.5
    assert whole.marks[0].low == pytest.approx(plot.y.at(0.52 - spread))
    assert whole.marks[0].high == pytest.approx(plot.y.at(0.52 + spread))
    assert whole.marks[2].words == "ensemble, groups 8: 0.590 ± 0.014"
    # Lines of one combination stand on each other, those of two side by side.
    assert [mark.x for mark in alone.marks] == [mark.x for mark in whole.marks[1:]]
    assert whole.marks[0].x < places[0] < other.marks[0].x
    assert (whole.colour, alone.colour, other.colour) == (0, 0, 1)
    assert (whole.dashed, alone.dashed) == (False, True)
    # Where a value is missing, nothing is joined across it.
    assert [len(stretch) for stretch in whole.stretches] == [3]
    assert [len(stretch) for stretch in other.stretches] == [1, 1]
    labels = sorted(line.label_y for line in plot.lines)
    assert all(after - before >= 16 for before, after in pairwise(labels))


def test_the_page_draws_solid_and_dashed_lines(by_groups):
    page = to_html(ComparisonReport(by_groups, title="T", command="c"))
    assert "What varying it does" in page
    assert "Solid: R@1 of the whole; dashed" in page
    assert page.count('<polyline class="joined c') == 3  # ensemble whole, multihead in two
    assert page.count('<polyline class="joined dashed c') == 2
    assert "<title>ensemble, groups 8: 0.590 ± 0.014</title>" in page
