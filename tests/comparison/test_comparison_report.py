"""A comparison as Markdown, text, page and files: how it was made, and what limits it."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from lookalike.comparison import (
    Comparison,
    ComparisonReport,
    FailedRun,
    to_html,
    to_markdown,
    to_text,
    write_results,
)
from lookalike.comparison.comparison_report import cautions, duration
from lookalike.data import demo_catalog
from lookalike.data.benchmarks import BENCHMARKS


@pytest.fixture
def report(comparison) -> ComparisonReport:
    return ComparisonReport(
        comparison,
        title="4 variants on pictures",
        command="lookalike compare pictures --out runs",
        note="First.\n\nSecond.\n",
        versions={"lookalike": "9.9"},
    )


def rows_below(text: str, heading: str) -> dict[str, list[str]]:
    """Read the first table below a heading: its cells by the first one."""
    lines = text[text.index(heading) :].splitlines()
    table = [line for line in lines if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    return {row[0]: row[1:] for row in rows}


def test_the_table(report):
    rows = rows_below(to_markdown(report), "# 4 variants")
    assert rows["variant"] == [
        *("seeds", "R@1", "NMI", "MAP@R", "mAP"),
        *("params, M", "FLOPs, G", "ms/image", "s/run"),
    ]
    assert rows["gated-binomial"] == [
        *("3", "**0.600** ± 0.100", "0.800 ± 0.000", "**0.300** ± 0.050", "**0.150** ± 0.025"),
        *("3.00", "0.0900", "2.00", "60.0"),
    ]
    assert rows["gated-margin"][:2] == ["2, 1 failed", "0.550 ± 0.010 ≈"]
    assert rows["single-binomial"][5] == "**2.00**"
    assert {len(row) for row in rows.values()} == {9}


def test_failures_come_first_and_the_rest_in_its_order(report):
    text = to_markdown(report)
    assert "- `gated-margin/seed-2`: `the loss is nan | at <step> 3`" in text
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert headings == [
        "# 4 variants on pictures",
        "## Runs that failed",
        "## What it says",
        "## Reading",
        "## How it was made",
        "## What the columns are",
    ]
    assert text.index("Runs that failed") < text.index("| variant")
    assert "\n\nFirst.\n\nSecond.\n\n" in text
    assert "```\nlookalike compare pictures --out runs\n```" in text


def test_without_a_note_a_failure_or_a_benchmark_there_is_no_heading_for_it(report):
    text = to_markdown(replace(report, note="", comparison=replace(report.comparison, failures=())))
    assert not any(word in text for word in ("Reading", "failed", "Published"))


def test_published_numbers_stand_below_ours(report):
    text = to_markdown(replace(report, benchmark="cub"))
    rows = rows_below(text, "## Published on CUB-200-2011")
    assert rows["**single-margin** (ours)"][2:8] == ["50.0", "–", "70.0", "–", "–", "–"]
    assert rows["ABE-8"][:6] == ["GoogLeNet", "512", "60.6", "71.5", "79.8", "87.4"]
    assert rows["HDC"][-2:] == ["not stated", "secondary: README of bnu-wangxun/Deep_Metric"]
    assert text.index("does not rank the methods") < text.index("| method |")


def test_a_bar_in_a_cell_is_no_new_cell(report):
    rows = [replace(row, selected_on="a|b") for row in report.comparison.rows]
    comparison = replace(report.comparison, rows=tuple(rows))
    text = to_markdown(replace(report, benchmark="cub", comparison=comparison))
    assert "| a\\|b | mean of 3 seeds |" in text


def test_where_all_runs_failed_there_is_still_a_report(report):
    lost = Comparison((), report.comparison.failures, 0)
    text = to_markdown(replace(report, comparison=lost, benchmark="cub"))
    assert "| gated-margin | 0, 1 failed |" in text
    assert "No run was finished" in text
    assert "Published" not in text


def test_text_for_a_terminal_lines_up(report):
    lines = to_text(report).splitlines()
    assert lines[0].split() == [
        *("variant", "seeds", "R@1", "NMI", "MAP@R", "params,", "M", "FLOPs,", "G", "ms/image")
    ]
    assert len({len(line) for line in lines[:5]}) == 1
    assert "* 0.600 ± 0.100" in lines[3]
    assert "≈ 0.550 ± 0.010" in lines[4]
    assert lines[-1] == "1 of 12 runs failed; means are over what was measured."


class Balance(HTMLParser):
    """Tags that are open; they must close in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag, attributes):
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        """It closes itself, as many elements of an SVG do."""

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data.strip())


def test_the_page_is_whole_stands_alone_and_escapes(comparison):
    report = ComparisonReport(
        comparison, title="Four & more", command="c", note="<b>x</b>\n\nmore", benchmark="cub"
    )
    page = to_html(report)
    parser = Balance()
    parser.feed(page)
    assert parser.open == []
    links = set(re.findall(r"https?://[^\"'< ]*", page))
    assert links <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}  # not fetched
    assert "<script" not in page
    assert "<b>x</b>" in parser.texts
    assert ": the loss is nan | at <step> 3" in parser.texts
    assert "Four & more" in parser.texts
    assert page.index("gated-margin/seed-2") < page.index("<table")
    assert "<b>0.600</b><small>± 0.100</small>" in page
    assert "<td>≈ 0.550<small>± 0.010</small>" in page
    assert "<b>gated-binomial</b><small>(ours)</small>" in page
    assert page.count("<svg ") == 3
    for sentence in report.verdict:
        assert sentence in parser.texts


def test_a_page_of_failures_has_no_plots(comparison):
    lost = Comparison((), (FailedRun("a/seed-0", "no"),), 0)
    page = to_html(ComparisonReport(lost, title="T", command="c", benchmark="cub"))
    assert "No run was finished" in page
    assert "<svg" not in page


def test_files(comparison, tmp_path):
    report = ComparisonReport(comparison, title="T", command="c")
    kept = write_results(report, tmp_path / "groupings-v1.2")
    assert [file.name for file in kept] == ["groupings-v1.2.json", "groupings-v1.2.md"]
    assert kept[1].read_text(encoding="utf-8").startswith("# T\n")
    write_results(report, tmp_path / "results", page=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "groupings-v1.2.json",
        "groupings-v1.2.md",
        "results.html",
        "results.json",
        "results.md",
    ]


def test_what_varies_is_a_table_and_a_chart(by_groups):
    report = ComparisonReport(by_groups, title="T", command="c")
    text = to_markdown(report)
    assert "## Effect of groups (model.head.groups)\n\n|  | 1 | 2 | 8 |\n" in text
    page = to_html(report)
    assert "What varying it does" in page
    assert "Solid: R@1 of the whole. Dashed" in page


def test_how_it_was_made(comparison):
    report = ComparisonReport(
        comparison, title="T", command="c", cautions=("Beware.",), versions={"lookalike": "9.9"}
    )
    assert report.made == (
        "Measured on /somewhere/pictures, split test: 40 pictures of 8 classes.",
        "The epoch was chosen on 16 held-out training classes.",
        "Beware.",
        "11 runs took 11 minutes in all, on 1 thread.",
        "Versions: lookalike 9.9.",
    )
    assert duration(7199.0) == "120 minutes"


def test_pictures_that_limit_the_numbers(monkeypatch):
    demo = demo_catalog()
    assert cautions(demo) == ()
    (unsplit,) = cautions(demo.with_splits([None] * len(demo)))
    assert "each seed divides the classes anew" in unsplit
    both = demo.with_splits(["train", "test"] * (len(demo) // 2))
    (closed,) = cautions(both)
    assert closed.startswith("WARNING: 320 classes are in train and in test")
    (partial,) = cautions(demo, "cub")
    assert partial.startswith("WARNING: only 1280 of 11788 pictures of CUB-200-2011 are there")
    whole = replace(BENCHMARKS["cub"].published[0], images=1280)
    monkeypatch.setitem(BENCHMARKS, "cub", replace(BENCHMARKS["cub"], published=(whole,)))
    assert cautions(demo, "cub") == ()
