"""An answer as text, figure, page and file."""

import json
import re
from typing import Any

import pytest
from PIL import Image

from lookalike.errors import LookalikeError, UsageError
from lookalike.explanation import Contribution
from lookalike.explanation.questions import Answer, Story
from lookalike.rendering.sheets import SheetRow, Tile


class Answer(Answer):
    """An answer made by hand."""

    def story(self) -> Story:
        return Story(
            question="Why <b>?",
            sentences=("Because $5 is $5.", "And so on."),
            bars=(Contribution("ears", 0.25), Contribution("group 1", -0.5)),
            measured="What each group gives",
            ends=("cold", "warm"),
            notes=("Within 1e−08.",),
        )

    def rows(self) -> tuple[SheetRow, ...]:
        tile = Tile(Image.new("RGB", (20, 20), "red"), "A", "a file")
        return (SheetRow("Pictures", (tile, None)), SheetRow("", (tile,)))

    def record(self) -> dict[str, Any]:
        return {"value": 0.5, "name": "</script>"}


def test_text():
    assert str(Answer()).splitlines() == [
        "Why <b>?",
        "Because $5 is $5.",
        "And so on.",
        "What each group gives:",
        "  ears     +0.250",
        "  group 1  −0.500",
        "Within 1e−08.",
    ]


def test_figure(assert_laid_out):
    figure = Answer().plot()
    inside = [text for axes in figure.axes for text in (*axes.texts, *axes.get_yticklabels())]
    texts = [text.get_text() for text in (*figure.texts, *inside)]
    for expected in ("Why <b>?", "Because $5 is $5.", "ears", "−0.500", "cold", "warm", "a file"):
        assert expected in texts
    assert_laid_out(figure)


def test_page_stands_alone():
    page = Answer().to_html()
    assert "<h1>Why &lt;b&gt;?</h1>" in page
    assert "Because $5 is $5." in page
    assert not re.search(r'(src|href)="(?!data:)', page)
    inside = re.search(r'<script type="application/json" id="record">(.*?)</script>', page, re.S)
    assert json.loads(inside[1])["name"] == "</script>"
    assert "margin-left:66.67%;width:33.33%" in page  # 0.25 of a chart from −0.5 to 0.25


def test_json_has_words_numbers_and_versions():
    record = json.loads(Answer().to_json())
    assert record["question"] == "Why <b>?"
    assert record["sentences"] == ["Because $5 is $5.", "And so on."]
    assert record["value"] == 0.5
    assert set(record["versions"]) == {"lookalike", "torch"}


def test_files(tmp_path):
    for name, begins in (("a.png", b"\x89PNG"), ("a.html", b"<!doctype"), ("a.JSON", b"{")):
        Answer().save(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(begins)
    with pytest.raises(UsageError, match="an answer is saved as"):
        Answer().save(tmp_path / "a.pdf")
    with pytest.raises(LookalikeError, match="cannot be written"):
        Answer().save(tmp_path / "missing" / "a.json")
