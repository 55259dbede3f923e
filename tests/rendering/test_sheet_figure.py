from itertools import pairwise

import pytest
from PIL import Image

from lookalike.rendering.sheet_figure import LETTER, SMALL, draw_sheet, wrapped
from lookalike.rendering.sheets import ColourScale, Sheet, SheetBar, SheetColumn, SheetRow, Tile


def sheet(**changed) -> Sheet:
    tile = Tile(Image.new("RGB", (30, 20), "red"), "A", "a file with a long name / 007.jpg")
    tall = Tile(Image.new("RGB", (10, 200), "blue"))
    fields = {
        "title": "What is $5?",
        "rows": (
            SheetRow("first", (tile, None, tall), ("a note",), "Heading", (SheetColumn("x", "1"),)),
            SheetRow("second", (tile,)),
        ),
        "scale": ColourScale("cold", "warm"),
        "sentences": ("It is $5.", "And " * 60),
        "bars": (SheetBar("ears", 0.25), SheetBar("group 1", -0.5)),
        "measured": "What each gives",
        "notes": ("Small print. " * 30,),
    }
    return Sheet(**(fields | changed))


def texts(figure):
    inside = [t for axes in figure.axes for t in (*axes.texts, *axes.get_yticklabels())]
    return [text.get_text() for text in (*figure.texts, *inside)]


def test_all_words_are_drawn():
    drawn = texts(draw_sheet(sheet()))
    words = "What is $5?,Heading,first,a note,x,1,A,It is $5.,cold,warm,What each gives,ears,−0.500"
    assert not [word for word in words.split(",") if word not in drawn]


@pytest.mark.parametrize("columns", [1, 5, 14])
def test_pictures_keep_their_shape_and_fit_the_width(columns):
    shapes = [(30, 20) if place % 2 else (20, 30) for place in range(columns)]
    tiles = tuple(Tile(Image.new("RGB", shape, "red")) for shape in shapes)
    figure = draw_sheet(sheet(rows=(SheetRow("", tiles),), bars=()))
    figure.draw_without_rendering()
    boxes = [axes.get_window_extent() for axes in figure.axes[:columns]]
    drawn = [box.width / box.height for box in boxes]
    assert drawn == pytest.approx([width / height for width, height in shapes], rel=0.02)
    assert all(one.x1 < two.x0 for one, two in pairwise(boxes))
    assert boxes[-1].x1 <= figure.bbox.x1


def test_a_bar_goes_to_the_side_of_its_sign():
    axes = draw_sheet(sheet()).axes[-1]
    assert [bar.get_width() for bar in axes.patches] == [0.25, -0.5]
    assert axes.get_xlim() == (-0.5, 0.25)


def test_lines_are_no_wider_than_asked_for():
    lines = wrapped("abcd " * 100 + "\nnext", 3.0)
    assert max(map(len, lines)) <= 3.0 / (LETTER * SMALL)
    assert lines[-1] == "next"
