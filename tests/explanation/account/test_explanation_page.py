import base64
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image

from lookalike.explanation.account import explanation_page

VOID = {"meta", "img", "br", "link", "input", "hr"}


class Reader(HTMLParser):
    """Collects elements with their attributes, and complains about what is not closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.scripts = [], [], []
        self.feed(text)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


def named(why, name):
    first, second = why.pictures
    return replace(why, pictures=(replace(first, name=name), second))


@pytest.mark.parametrize("make", ["to_html", "to_fragment"])
def test_nothing_is_fetched(why, make):
    text = getattr(why, make)()
    outside = re.sub(r"data:image/jpeg;base64,[\w+/=]+", "", text)
    assert not re.search(
        r"https?:|//[a-z]|@import|url\(", re.sub(r"^\s*// .*", "", outside, flags=re.M)
    )
    reader = Reader(text)
    assert not reader.all("link")
    sources = [*(x["src"] for x in reader.all("img")), *(x["href"] for x in reader.all("image"))]
    assert sources
    assert all(source.startswith("data:image/jpeg;base64,") for source in sources)
    assert all("src" not in script for script in reader.all("script"))


def test_the_page_carries_the_numbers(why):
    reader = Reader(why.to_html())
    assert json.loads(reader.scripts[0]) == json.loads(why.to_json())


def test_one_button_and_one_map_a_side_for_each_panel(why):
    reader = Reader(why.to_html())
    panels = ["0", "1", "2", "picture"]  # whole score, two groups, the pictures
    buttons = [b["data-panel"] for b in reader.all("button") if "data-panel" in b]
    maps = [m for m in reader.all("img") if m["class"] == "map"]
    assert buttons == panels
    assert [m["data-panel"] for m in maps] == panels * 2
    assert [m["data-panel"] for m in maps if "hidden" not in m] == ["0", "0"]
    assert maps[2]["alt"] == "Picture A with the map of group 1, which gives −0.250"


def test_every_picture_has_words(why):
    for text in (why.to_html(), why.to_fragment()):
        assert all(image["alt"] for image in Reader(text).all("img"))


def test_cells_lie_on_the_picture(why):
    reader = Reader(why.to_html())
    cells = [rect for rect in reader.all("rect") if rect["class"] == "cell"]
    assert [cell["data-cell"] for cell in cells] == ["0,0", "0,1", "1,0", "1,1", "0,0", "0,1"]
    top_right = cells[1]
    place = [float(top_right[key]) for key in ("x", "y", "width", "height")]
    assert place == [150, 0, 100, 100]
    assert [svg["viewbox"] for svg in reader.all("svg")] == ["0 0 300 200", "0 0 80 80"]


def test_maps_with_too_many_cells_have_no_region_view(why, monkeypatch):
    monkeypatch.setattr(explanation_page, "MOST_NUMBERS", why.regions.size - 1)
    text = why.to_html()
    assert not Reader(text).all("rect")
    assert "too many pairs of cells" in text
    monkeypatch.setattr(explanation_page, "MOST_NUMBERS", why.regions.size)
    assert Reader(why.to_html()).all("rect")


@pytest.mark.parametrize("make", ["to_html", "to_fragment"])
def test_a_name_cannot_run_as_code(why, make):
    name = "</script ><script>alert(1)</script><img src=x onerror=alert(1)>\"'&.jpg"
    text = getattr(named(why, name), make)()
    reader = Reader(text)
    assert len(reader.all("script")) == (2 if make == "to_html" else 0)
    assert all("onerror" not in image for image in reader.all("img"))
    assert "<" not in "".join(reader.scripts[:1])  # the numbers, which hold the name too


def test_bars_diverge_from_a_common_zero(why):
    # Contributions 1.25 and −0.25 span 1.5: zero lies a sixth from the left.
    text = why.to_fragment()
    places = re.findall(r"margin-left:([\d.]+)%;width:([\d.]+)%;background:(#\w+)", text)
    assert places == [("16.67", "83.33", "#c0392b"), ("0.00", "16.67", "#2b6cb0")]


def test_the_overlays_are_pictures_of_their_own_shape(why):
    sources = [image["src"] for image in Reader(why.to_fragment()).all("img")]
    sizes = []
    for source in sources:
        with Image.open(io.BytesIO(base64.b64decode(source.partition(",")[2]))) as image:
            sizes.append(image.size)
            assert np.asarray(image).std() > 5
    assert sizes == [(320, 213), (320, 320)]


def test_the_score_is_said_with_its_meaning(why):
    assert "This is above 99.0 % of different pairs and 41.3 % of same pairs" in why.to_html()
    bare = replace(why, percentile_same=None, percentile_different=None)
    assert "same pairs" not in bare.to_html()
    assert "same pairs" not in bare.to_fragment()


def test_a_notebook_shows_the_fragment(why):
    assert why._repr_html_() == why.to_fragment()


def test_a_single_group_needs_no_chart(why):
    alone = replace(why, groups=why.groups[:1], maps=tuple(m[:1] for m in why.maps))
    assert not Reader(alone.to_fragment()).all("table")
    assert len([b for b in Reader(alone.to_html()).all("button") if "data-panel" in b]) == 2
