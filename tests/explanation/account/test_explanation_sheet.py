import sys
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from lookalike.explanation import Contribution, Pictured
from lookalike.explanation.account.explanation_sheet import SIDE, explanation_sheet
from lookalike.preprocessing import Geometry
from lookalike.rendering.figures import DPI
from lookalike.rendering.overlays import overlay
from lookalike.rendering.sheets import ColourScale


def with_groups(why, count):
    maps = tuple(np.repeat(side.sum(axis=0, keepdims=True) / count, count, 0) for side in why.maps)
    groups = tuple(Contribution(f"group {i}", why.score / count) for i in range(count))
    return replace(why, groups=groups, maps=maps)


@pytest.mark.parametrize(("groups", "panels", "rows"), [(1, 2, 2), (5, 7, 2), (12, 14, 4)])
def test_every_group_has_its_maps_of_both_pictures(why, groups, panels, rows):
    sheet = explanation_sheet(with_groups(why, groups))
    assert [row.name for row in sheet.rows] == ["A", "B"] * (rows // 2)
    assert sum(len(row.tiles) for row in sheet.rows) == 2 * panels
    columns = [column for row in sheet.rows for column in row.columns]
    names = [f"group {i}" for i in range(groups)] if groups > 1 else []
    assert [column.name for column in columns] == ["", "whole score", *names]
    assert columns[1].number == "+1.000"


def test_nothing_overlaps_or_is_cut_off(why, assert_laid_out):
    assert_laid_out(with_groups(why, 12).plot())


def test_the_sheet_carries_the_numbers(why):
    sheet = explanation_sheet(why)
    assert sheet.title == "Why are A and B alike? Similarity 1.000"
    assert sheet.sentences == why.sentences
    assert sheet.note == (
        "above 99.0 % of different pairs and 41.3 % of same pairs; "
        "parts add up to the score within 0e+00"
    )
    assert [column.number for column in sheet.rows[0].columns] == ["", "+1.000", "+1.250", "−0.250"]


def test_the_colour_scale_is_shared_and_ends_at_the_strongest_cell(why):
    sheet = explanation_sheet(why)  # the largest of any map is A's first cell, 1.0
    assert sheet.scale == ColourScale("speaks against, −1", "+1, speaks for alike")
    assert sheet.notes[0].startswith("Colours: score per map cell (2 × 2 cells)")
    a = sheet.rows[0].tiles
    shown = why.pictures[0]
    expected = overlay(shown.picture, why.maps[0][1], shown.geometry, limit=1.0, side=SIDE)
    np.testing.assert_array_equal(a[3].picture, expected)


def test_a_file_needs_no_display_and_no_pyplot(why, tmp_path, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("MPLBACKEND", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)  # importing it would fail
    path = tmp_path / "why.png"
    why.save(path)
    width, height = why.plot().get_size_inches()
    with Image.open(path) as image:
        assert image.size == pytest.approx((width * DPI, height * DPI), abs=1)
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
