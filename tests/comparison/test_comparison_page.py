"""The page: that it stands alone and hides nothing, and where its plots put things."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from lookalike.comparison import Comparison, ComparisonReport, Failure
from lookalike.comparison.axes import apart, axis
from lookalike.comparison.page import to_html
from lookalike.comparison.plots import cost_plots, dot_plot, is_grid
from lookalike.comparison.summary import summarise


def report(comparison, **changes) -> ComparisonReport:
    plain = ComparisonReport(comparison, title="Four & more", command="lookalike compare 'a b'")
    return replace(plain, **changes)


class Balance(HTMLParser):
    """Tags that are open; they must close in their order."""

    VOID = frozenset({"meta", "line", "circle", "path", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag, attributes):
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data.strip())


def test_the_page_is_whole_stands_alone_and_escapes(comparison):
    page = to_html(report(comparison, note="<b>x</b>\n\nmore", benchmark="cub"))
    parser = Balance()
    parser.feed(page)
    assert parser.open == []
    assert "http" not in page
    assert "<script" not in page
    assert "<b>x</b>" in parser.texts
    assert ": the loss is nan | at <step> 3" in parser.texts
    assert "Four & more" in parser.texts
    assert page.index("gated-margin/seed-2") < page.index("<table")
    assert "<b>0.600</b><small>± 0.100</small>" in page
    assert "<td>≈ 0.550<small>± 0.010</small>" in page
    assert '<tr class="ours"><th scope="row" class="method">gated-binomial (ours)</th>' in page
    for sentence in report(comparison).verdict:
        assert sentence in parser.texts


def test_every_seed_is_a_dot_and_every_mean_a_stroke(comparison):
    page = to_html(report(comparison))
    assert len(re.findall('<circle class="dot', page)) == 11 * 3  # R@1, MAP@R, NMI
    assert len(re.findall('<line class="mean', page)) == 4 * 3
    assert "<title>gated-binomial: R@1 0.600 ± 0.100</title>" in page


def test_heads_stand_in_a_section_for_each_loss(comparison):
    plot = dot_plot(summarise(comparison))
    assert [name for name, _ in plot.sections] == ["binomial", "margin"]
    assert [name for name, _ in plot.lines] == ["single", "gated", "single", "gated"]
    heights = [y for _, y in plot.lines]
    assert heights == sorted(heights)
    assert heights[1] < plot.sections[1][1] < heights[2]
    points = {point.name: point for point in plot.panels[0].points}
    assert {name: point.colour for name, point in points.items()} == {
        "single-binomial": 0,
        "gated-binomial": 0,
        "single-margin": 1,
        "gated-margin": 1,
    }
    assert points["gated-margin"].y == heights[3]


def test_a_dot_lies_where_its_value_is(comparison):
    panel = dot_plot(summarise(comparison)).panels[0]
    axis, points = panel.x, {point.name: point for point in panel.points}
    share = (points["single-binomial"].x - axis.at(0.3)) / (axis.at(0.5) - axis.at(0.3))
    assert share == pytest.approx(0.5)  # its mean is 0.4
    gated = points["gated-binomial"]
    assert gated.dots == pytest.approx((axis.at(0.5), axis.at(0.6), axis.at(0.7)))
    assert (gated.low, gated.high) == pytest.approx((axis.at(0.5), axis.at(0.7)))
    assert axis.start < min(gated.dots) < max(gated.dots) < axis.end


def test_variants_that_are_no_grid_go_by_their_names(make_row):
    rows = tuple(
        make_row(name, measures={"recall_at_1": 0.5}, head="single", loss="margin")
        for name in ("five epochs", "ten epochs")
    )
    summary = summarise(Comparison(rows, (), 0))
    assert not is_grid(summary)
    plot = dot_plot(summary)
    assert ([name for name, _ in plot.lines], plot.sections) == (["five epochs", "ten epochs"], ())


def test_costs_are_drawn_where_they_were_measured(make_row):
    rows = tuple(
        make_row(
            name, measures={"recall_at_1": score}, flops=int(flops), milliseconds_per_image=None
        )
        for name, score, flops in (("a-x", 0.5, 10**9), ("b-x", 0.6, 3 * 10**9), ("c-x", 0.6, 2e9))
    )
    (plot,) = cost_plots(summarise(Comparison(rows, (), 0)))
    assert plot.panel.title == "R@1 against FLOPs, G"
    a, b, c = plot.panel.points
    assert (a.x + b.x) / 2 == pytest.approx(c.x)
    assert b.y == c.y < a.y  # more is higher
    assert abs(b.label_y - c.label_y) >= 16
    assert cost_plots(summarise(Comparison(rows[:1], (), 0))) == ()


def test_other_measures_get_a_panel_each_up_to_two(make_row):
    measures = {"recall_at_1": 0.5, "x": 1.0, "y": 2.0, "z": 3.0}
    plot = dot_plot(summarise(Comparison((make_row("a", measures=measures),), (), 0)))
    assert [panel.title for panel in plot.panels] == ["R@1", "x", "y"]


def test_a_page_of_failures_has_no_plots(comparison):
    lost = Comparison((), (Failure("a/seed-0", "no"),), 0)
    page = to_html(report(lost, benchmark="cub"))
    assert "No run was finished" in page
    assert "<svg" not in page


@pytest.mark.parametrize("values", [[0.5], [0.0], [-1.0, 2.0], [0.1234, 0.1235], [1e9, 3e9]])
def test_an_axis_holds_its_values_and_has_ticks_that_can_be_read(values):
    made = axis(values, start=10.0, end=300.0)
    assert all(10 < made.at(value) < 300 for value in values)
    assert 2 <= len(made.ticks) <= 8
    assert len({made.write(tick) for tick in made.ticks}) == len(made.ticks)
    assert all(10 <= made.at(tick) <= 300 for tick in made.ticks)


def test_names_keep_their_order_and_their_distance():
    assert apart([0.0, 1.0, 2.0], gap=5.0, low=0.0, high=100.0) == [0, 5, 10]
    assert apart([98.0, 99.0, 20.0], gap=5.0, low=0.0, high=100.0) == [95, 100, 20]
