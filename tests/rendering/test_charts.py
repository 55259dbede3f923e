import math
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from lookalike.rendering.charts import (
    COLOURS,
    Curve,
    CurvePlot,
    Dot,
    DotPlot,
    curves,
    dots,
    to_svg,
)

FALLING = Curve("exact", (0.0, 0.5, 1.0), (1.0, 0.4, 0.0), (0.9, 0.3, 0.0), (1.0, 0.5, 0.1), 1)
ROWS = ("first", "second", "third")


def texts(figure: Figure) -> list[str]:
    svg = ElementTree.fromstring(to_svg(figure))
    return ["".join(each.itertext()) for each in svg.iter("{http://www.w3.org/2000/svg}text")]


def dot_chart() -> Figure:
    plots = [
        DotPlot("R@1", (Dot(0, 0.5, 0.4, 0.6, (0.4, 0.6), 1, words="first: <R@1> & 0.5"),)),
        DotPlot("deletion", (Dot(2, 0.3, 0.3, 0.3),), marks=(0.5,), hint="less is better"),
    ]
    return dots(ROWS, plots, label='each "seed"', headings=(1,), key={"exact": 0})


def curve_chart() -> Figure:
    plot = CurvePlot((FALLING,), title="Deletion", x_label="hidden", x_ticks={"none": 0.0})
    return curves([plot, plot, plot], label="curves")


def point_chart() -> Figure:
    points = tuple(Curve(name, (1.0,), (0.5,), (0.4,), (0.6,)) for name in ROWS)
    plot = CurvePlot(points, x_label="ms", y_label="R@1")
    return curves([plot], label="cost", names="ends", marked=True)


CHARTS = (dot_chart, curve_chart, point_chart)


@pytest.mark.parametrize("chart", CHARTS)
def test_svg_is_an_element_for_a_page_and_the_same_each_time(chart):
    svg = to_svg(chart())
    assert svg.startswith('<svg role="img" aria-label="')
    assert ElementTree.fromstring(svg).get("width", "").endswith("pt")
    assert svg == to_svg(chart())
    assert "<metadata" not in svg
    assert "<!--" not in svg


@pytest.mark.parametrize("chart", CHARTS)
def test_identifiers_that_every_figure_has_are_left_out(chart):
    svg = to_svg(chart())
    names = re.findall(r' id="([^"]*)"', svg)
    assert all(f"#{name}" in svg for name in names)


def test_svg_takes_colours_and_font_of_the_page():
    svg = to_svg(dot_chart())
    assert f"var(--c1, {COLOURS[1]})" in svg
    assert "font-family" not in svg


def test_words_and_label_are_escaped():
    svg = to_svg(dot_chart())
    assert "<title>first: &lt;R@1&gt; &amp; 0.5</title>" in svg
    assert 'aria-label="each &#34;seed&#34;"' in svg


def test_dots_name_rows_measures_and_colours():
    figure = dot_chart()
    assert {*ROWS, "R@1", "deletion", "less is better", "exact"} <= set(texts(figure))
    labels = figure.axes[0].get_yticklabels()
    assert [label.get_fontweight() for label in labels] == ["normal", "bold", "normal"]
    low, high = figure.axes[0].get_ylim()
    assert low > high  # the first row is on top


def test_dots_of_one_row_lie_above_each_other():
    plot = DotPlot("deletion", tuple(Dot(0, 0.5, 0.5, 0.5, colour=n) for n in range(3)))
    axes = dots(["only"], [plot], label="maps").axes[0]
    heights = [line.get_ydata()[0] for line in axes.lines if len(line.get_ydata())]
    assert len(set(heights)) == 3
    assert sum(heights) == pytest.approx(0.0)


def test_a_mean_of_several_values_is_a_stroke_and_a_single_estimate_a_dot():
    first, second = dot_chart().axes
    assert [line.get_marker() for line in first.lines] == ["o", "|"]
    assert second.lines[-1].get_marker() == "o"


def test_limits_are_those_asked_for():
    plot = DotPlot("area", (Dot(0, 0.5, 0.4, 0.6),), limits=(0.0, 1.0))
    assert dots(["only"], [plot], label="area").axes[0].get_xlim() == (0.0, 1.0)


def test_curves_share_one_key_and_an_empty_place_is_hidden():
    figure = curve_chart()
    assert [axes.get_visible() for axes in figure.axes] == [True, True, True, False]
    assert texts(figure).count("exact") == 1
    assert {"Deletion", "hidden", "none"} <= set(texts(figure))


def test_a_band_is_drawn_around_a_curve_and_strokes_where_values_are_marked():
    plot = CurvePlot((FALLING,))
    band = curves([plot], label="band").axes[0].collections[0]
    assert band.get_paths()[0].vertices[:, 1].max() == 1.0
    strokes = curves([plot], label="strokes", marked=True).axes[0].collections[0]
    assert [path.vertices[:, 1].tolist() for path in strokes.get_paths()] == [
        [0.9, 1.0],
        [0.3, 0.5],
        [0.0, 0.1],
    ]


def test_a_curve_is_named_at_its_last_value():
    broken = Curve("short", (0.0, 1.0, 2.0), (0.5, 0.6, math.nan))
    figure = curves([CurvePlot((broken,))], label="ends", names="ends")
    (name,) = figure.axes[0].texts
    assert (name.get_text(), name.xy) == ("short", (1.0, 0.6))


def test_names_of_points_at_the_same_height_do_not_overlap():
    figure = point_chart()
    figure.draw_without_rendering()
    # The extent of the letters, without the line to the point.
    boxes = [Text.get_window_extent(text) for text in figure.axes[0].texts]
    ordered = sorted(boxes, key=lambda box: box.y0)
    assert all(lower.y1 <= upper.y0 for lower, upper in pairwise(ordered))


def test_everything_drawn_lies_within_the_figure():
    for chart in CHARTS:
        figure = chart()
        figure.draw_without_rendering()
        box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
        assert min(box.x0, box.y0) >= -0.01, chart.__name__
        assert (box.x1, box.y1) <= (width + 0.01, height + 0.01), chart.__name__
