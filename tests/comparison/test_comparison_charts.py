"""The charts: what stands where, and that nothing is drawn of what was not measured."""

import pytest

from lookalike.comparison import Comparison
from lookalike.comparison.comparison_charts import (
    cost_charts,
    effect_chart,
    is_grid,
    learners_chart,
    maps_chart,
    metrics_chart,
)
from lookalike.comparison.comparison_tables import effects
from lookalike.rendering.charts import COLOURS, to_svg

XLABEL = "cosine of two learners on the same picture"


def means(axes) -> dict[float, float]:
    """Return where the strokes of the means are: the row of each and its value."""
    strokes = [line for line in axes.lines if line.get_marker() == "|"]
    return {float(line.get_ydata()[0]): float(line.get_xdata()[0]) for line in strokes}


def rows(figure) -> list[str]:
    return [label.get_text() for label in figure.axes[0].get_yticklabels()]


def test_every_seed_is_a_dot_and_every_mean_a_stroke(comparison):
    figure = metrics_chart(comparison)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["R@1", "MAP@R", "NMI"]
    first = figure.axes[0]
    dots = [line.get_xdata() for line in first.lines if line.get_marker() == "o"]
    assert sum(map(len, dots)) == 11
    assert means(first) == pytest.approx({1: 0.4, 2: 0.6, 4: 0.5, 5: 0.55})
    assert "<title>gated-binomial: R@1 0.600 ± 0.100</title>" in to_svg(figure)


def test_heads_stand_below_the_name_of_each_loss(comparison):
    figure = metrics_chart(comparison)
    assert rows(figure) == ["binomial", "single", "gated", "margin", "single", "gated"]
    strokes = [line for line in figure.axes[0].lines if line.get_marker() == "|"]
    colours = {line.get_ydata()[0]: line.get_color() for line in strokes}
    assert colours == {1: COLOURS[0], 2: COLOURS[0], 4: COLOURS[1], 5: COLOURS[1]}


def test_variants_that_are_no_grid_go_by_their_names(make_row):
    names = ["five epochs", "ten epochs"]
    runs = tuple(
        make_row(name, measures={"recall_at_1": 0.5}, head="single", loss="margin")
        for name in names
    )
    variants = Comparison(runs, (), 0)
    assert not is_grid(variants)
    assert rows(metrics_chart(variants)) == names


def test_other_metrics_get_a_plot_each_up_to_two(make_row):
    measures = {"recall_at_1": 0.5, "x": 1.0, "y": 2.0, "z": 3.0}
    figure = metrics_chart(Comparison((make_row("a", measures=measures),), (), 0))
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["R@1", "x", "y"]


def test_costs_are_drawn_where_they_were_measured(make_row):
    runs = tuple(
        make_row(
            name, measures={"recall_at_1": score}, flops=int(flops), milliseconds_per_image=None
        )
        for name, score, flops in (("a-x", 0.5, 10**9), ("b-x", 0.6, 3 * 10**9), ("c-x", 0.6, 2e9))
    )
    (figure,) = cost_charts(Comparison(runs, (), 0))
    (axes,) = figure.axes
    assert axes.get_title(loc="left") == "R@1 against FLOPs, G"
    assert {(text.get_text(), *text.xy) for text in axes.texts} == {
        ("a-x", 1.0, 0.5),
        ("b-x", 3.0, 0.6),
        ("c-x", 2.0, 0.6),
    }
    assert cost_charts(Comparison(runs[:1], (), 0)) == []


def test_an_effect_stands_at_equal_steps_and_is_broken_where_a_value_is_missing(by_groups):
    (effect,) = effects(by_groups)
    figure = effect_chart(effect)
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2", "8"]
    assert list(axes.get_xticks()) == [0, 1, 2]
    whole, alone, other, _ = axes.lines
    assert whole.get_ydata() == pytest.approx([0.52, 0.53, 0.59])
    assert other.get_ydata()[1] != other.get_ydata()[1]
    # Both lines of one combination are at the same place and of one colour, others beside them.
    assert list(whole.get_xdata()) == list(alone.get_xdata())
    assert whole.get_xdata()[0] < 0 < other.get_xdata()[0]
    assert whole.get_color() == alone.get_color() != other.get_color()
    assert (whole.get_linestyle(), alone.get_linestyle()) == ("-", "--")
    assert "ensemble, groups 8: 0.590 ± 0.014" in to_svg(figure)


def test_maps_of_each_method_have_a_colour_and_chance_a_line(explained_runs):
    figure = maps_chart(explained_runs)
    (axes,) = figure.axes
    assert axes.get_title(loc="left") == "deletion, less is better"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["exact", "Grad-CAM"]
    assert list(axes.lines[0].get_xdata()) == [0.5, 0.5]
    at = means(axes)
    of_b = {row: value for row, value in at.items() if 0.5 < row < 1.5}
    assert sum(of_b) / 2 == pytest.approx(1.0)
    assert sorted(of_b.values()) == pytest.approx([0.12, 0.40])
    assert "<title>b: deletion, exact 0.120 ± 0.020</title>" in to_svg(figure)


def counts(**bins: int) -> tuple[int, ...]:
    """Make a histogram from bins named b0 to b39."""
    return tuple(bins.get(f"b{number}", 0) for number in range(40))


def test_histograms_of_all_seeds_are_added(make_row):
    def run(name, seed, mean, **bins):
        measures = {"self_pair_cosine_mean": mean, "self_pair_cosine_deviation": 0.05}
        series = {"self_pair_cosine_counts": counts(**bins)}
        return make_row(name, seed, measures=measures, series=series)

    runs = (
        run("apart-margin", 0, 0.10, b21=3, b22=1),
        run("apart-margin", 1, 0.12, b22=4),
        run("alike-margin", 0, 0.80, b36=8),
        make_row("single-margin", measures={"recall_at_1": 0.4}),
    )
    figure = learners_chart(Comparison(runs, (), 0))
    apart, alike = figure.axes
    values, edges, _ = apart.patches[0].get_data()
    assert (values[21], values[22], sum(values)) == (3, 5, 8)
    assert edges[21] == pytest.approx(0.05)
    assert apart.lines[0].get_xdata()[0] == pytest.approx(0.11)
    assert apart.get_xlim() == pytest.approx((0.0, 0.9))  # the bins in use and one more
    assert alike.get_ylim()[1] == pytest.approx(1.05 * 8)
    words = "apart-margin: mean 0.110, deviation 0.050; 62% in the tallest bin"
    assert f"<title>{words}</title>" in to_svg(figure)
    shown = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert shown == ["0.110, deviation 0.050", "0.800, deviation 0.050"]
    assert [axes.get_xlabel() for axes in figure.axes] == ["", XLABEL]


def test_histograms_lie_within_the_figure_and_show_no_more_than_all_bins(make_row):
    measures = {"self_pair_cosine_mean": 0.1, "self_pair_cosine_deviation": 0.05}
    series = {"self_pair_cosine_counts": counts(b0=1, b39=2)}
    runs = tuple(make_row(f"{n}-margin", measures=measures, series=series) for n in "abc")
    figure = learners_chart(Comparison(runs, (), 0))
    assert to_svg(figure) == to_svg(learners_chart(Comparison(runs, (), 0)))
    assert {axes.get_xlim() for axes in figure.axes} == {(-1.0, 1.0)}
    figure.draw_without_rendering()
    box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert min(box.x0, box.y0) >= -0.01
    assert (box.x1, box.y1) <= (width + 0.01, height + 0.01)


def test_nothing_is_drawn_of_what_was_not_measured(comparison):
    variants = comparison
    assert maps_chart(variants) is None
    assert learners_chart(variants) is None
    assert metrics_chart(Comparison((), comparison.failures, 0)) is None
