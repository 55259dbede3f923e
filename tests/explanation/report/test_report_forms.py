"""A report as a page, Markdown and text."""

from html.parser import HTMLParser

from lookalike.explanation.measures import MEASURES
from lookalike.explanation.report import ExplanationsReport


class Balance(HTMLParser):
    """Tags that are open; they must close in their order."""

    VOID = frozenset({"meta", "img", "path", "use"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag, attributes):
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data.strip())


def tables(report):
    return [t for key, measure in MEASURES.items() for t in measure.tables(report.results[key])]


def test_the_page_is_whole_stands_alone_and_escapes(report):
    page = report.to_html()
    parser = Balance()
    parser.feed(page)
    assert parser.open == []
    assert "http" not in page.replace("http://www.w3.org/", "")  # names of SVG, nothing is loaded
    assert "<script" not in page
    assert "<b>" not in page
    assert "1. <b>: deletion area 0.70" in parser.texts
    assert "diversity, tokens: none of <these>" in parser.texts
    assert page.index("deletion area 0.70") < page.index("deletion area 0.60")
    assert page.count("data:image/jpeg;base64,") == 8
    for sentence in report.findings:
        assert sentence in parser.texts
    for table in tables(report):
        assert table.title in parser.texts
    assert page.count("<svg") == 2 + 2  # areas and curves, and one for each of the worst pairs


def test_a_page_of_a_report_in_which_nothing_was_measured():
    page = ExplanationsReport("m", "d", 1, 0, ("exact",)).to_html()
    assert "<svg" not in page
    assert "<table" not in page


def test_markdown_has_a_table_for_each_measure(report):
    text = report.to_markdown()
    assert "| exact | 0.250 [0.250, 0.250] | 0.750 [0.750, 0.750] |" in text
    for table in tables(report):
        assert f"## {table.title}\n" in text
        assert table.definition in text
    assert "| <b> | <i>/a.png | <i>/b.png | 0.700 |" in text
    assert "- diversity, tokens: none of <these>" in text
    assert "- Masked in at most 16 steps" in text


def test_the_text_has_every_measure_and_ends_with_what_was_left_out(report):
    lines = str(report).splitlines()
    for key, measure in MEASURES.items():
        for line in measure.summary(report.results[key]):
            assert line in lines
    assert lines[-1] == "! left out, diversity, tokens: none of <these>"
