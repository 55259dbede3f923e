import sys
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from lookalike.explanation import Contribution, Pictured
from lookalike.preprocessing import Geometry


def with_groups(why, count):
    maps = tuple(np.repeat(side.sum(axis=0, keepdims=True) / count, count, 0) for side in why.maps)
    groups = tuple(Contribution(f"group {i}", why.score / count) for i in range(count))
    return replace(why, groups=groups, maps=maps)


def pictures(figure):
    """The axes that hold a picture or a map, which is all but the colour bar."""
    return [axes for axes in figure.axes if not axes.get_xlabel()]


@pytest.mark.parametrize(
    ("groups", "panels"),
    [(1, 2), (5, 7), (12, 14)],
)
def test_every_group_has_its_panel_in_both_rows(why, groups, panels):
    shown = pictures(with_groups(why, groups).plot())
    assert len(shown) == 2 * panels
    titles = [axes.get_title() for axes in shown if axes.get_title()]
    names = [f"group {i}" for i in range(groups)] if groups > 1 else []
    assert titles == ["whole score", *names]


def test_nothing_overlaps_or_is_cut_off(why):
    figure = with_groups(why, 12).plot()
    boxes = [axes.get_tightbbox() for axes in figure.axes]
    width, height = figure.canvas.get_width_height()
    for i, one in enumerate(boxes):
        assert one.x0 >= 0
        assert one.y0 >= 0
        assert one.x1 <= width
        assert one.y1 <= height
        for two in boxes[:i]:
            apart = one.x1 <= two.x0 or two.x1 <= one.x0 or one.y1 <= two.y0 or two.y1 <= one.y0
            assert apart
    texts = [text.get_window_extent() for text in figure.texts]
    assert all(text.x0 >= 0 and text.x1 <= width and text.y1 <= height for text in texts)


def test_titles_carry_the_numbers(why):
    figure = why.plot()
    header = [text.get_text() for text in figure.texts[:2]]
    assert header[0] == "Why are A and B alike? Similarity 1.000"
    assert header[1] == (
        "above 99.0 % of different pairs and 41.3 % of same pairs; "
        "parts add up to the score within 0e+00"
    )
    values = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert values[:3] == ["+1.000", "+1.250", "−0.250"]


def test_the_colour_bar_is_centred_at_zero_and_shared(why):
    bar = next(axes for axes in why.plot().axes if axes.get_xlabel())
    assert bar.get_xlim() == (-1, 1)  # the largest of any map is A's first cell, 1.0
    assert [tick.get_text() for tick in bar.get_xticklabels()] == ["−1", "0", "+1"]
    assert bar.get_xlabel() == "score per map cell (2 × 2 cells)"


def test_a_file_needs_no_display_and_no_pyplot(why, tmp_path, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("MPLBACKEND", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)  # importing it would fail
    path = tmp_path / "why.png"
    why.save(path)
    width, height = why.plot().get_size_inches()
    with Image.open(path) as image:
        assert image.size == pytest.approx((width * 200, height * 200), abs=1)
        pixels = np.asarray(image.convert("RGB")).astype(int)
    assert ((pixels[..., 0] - pixels[..., 2]) > 100).mean() > 0.01  # what spoke for
    assert ((pixels[..., 2] - pixels[..., 0]) > 30).mean() > 0.01  # what spoke against


@pytest.mark.parametrize("name", ["$5 & 10%.jpg", "a$^$b.png", "日本/猫.jpg", "x" * 300])
def test_any_name_can_be_drawn(why, tmp_path, name):
    first, second = why.pictures
    replace(why, pictures=(replace(first, name=name), second)).save(tmp_path / "why.png")


@pytest.mark.parametrize("size", [(400, 20), (1, 90)])
def test_extreme_shapes_can_be_drawn(why, tmp_path, size):
    geometry = Geometry(*size, box=(0.0, 0.0, float(size[0]), float(size[1])))
    shown = Pictured(Image.new("RGB", size), geometry, "thin.png")
    thin = replace(why, pictures=(shown, why.pictures[1]))
    thin.save(tmp_path / "why.png")
    width, height = thin.plot().get_size_inches()
    assert height < 1.2 * width


def test_the_scale_goes_to_the_strongest_cell_either_way(why):
    scale = why.plot().axes[-1]
    assert list(scale.images[0].get_extent()) == [-1, 1, 0, 1]
    assert [tick.get_text() for tick in scale.get_xticklabels()] == ["−1", "0", "+1"]
