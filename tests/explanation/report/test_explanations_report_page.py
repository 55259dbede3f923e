"""What a report says: tables, sentences, the page, and where its plots put things."""

import math
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image

from lookalike.explanation import Pictured
from lookalike.explanation.measures import (
    Correlations,
    Curves,
    Diversity,
    Faithfulness,
    Interval,
    Localisation,
    Masking,
    PartShare,
    PeakParts,
    Randomisation,
    Response,
    Stability,
    describe_groups,
)
from lookalike.explanation.report import ExplanationsReport, WorstCase
from lookalike.explanation.report.curve_plots import Scale, area_plot, band, case_plot, curve_plots
from lookalike.explanation.report.group_tables import MOST_GROUPS, group_tables
from lookalike.explanation.report.summary import findings
from lookalike.explanation.report.tables import Cell, method_tables
from lookalike.preprocessing import Geometry

SHARES = np.array([0.0, 0.5, 1.0])
RANDOM = np.array([[1.0, 0.5, 0.0]] * 3)


def curves(kind, middle) -> Curves:
    """Three pairs from 1 to 0 or back; the area is (1 + 2 · middle) / 4, of all pairs alike."""
    scores = np.array([[1.0, middle, 0.0]] * 3)
    if kind == "insertion":
        return Curves(kind, SHARES, scores[:, ::-1], RANDOM[:, ::-1], np.arange(3))
    return Curves(kind, SHARES, scores, RANDOM, np.arange(3))


def faithful(method, middle, *, fill="blur", swapped=False) -> Faithfulness:
    pairs = ((0, 1), (2, 3), (4, 5))
    deletion, insertion = curves("deletion", middle), curves("insertion", 1 - middle)
    return Faithfulness(method, swapped, Masking(fill=fill), pairs, deletion, insertion)


def share(name, value) -> PartShare:
    return PartShare(
        name, Interval(value - 0.1, value, value + 0.1), 0.2, Interval(0.0, 0.3, 1.0), 0.1
    )


def stable(method, r) -> Stability:
    follows = Correlations(np.array([r, r, np.nan]), range(3))
    stays = Correlations(np.array([0.1, 0.1, 0.1]), range(3))
    response = Response("shift by a cell", follows, stays, Interval(0.0, 0.01, 0.02))
    return Stability(method, ((0, 1),) * 3, 0.25, 4.0, (response,))


def case(area) -> WorstCase:
    seen = Geometry(30, 20, (0.0, 0.0, 30.0, 20.0))
    picture = Image.new("RGB", (30, 20), "white")
    pictures = tuple(Pictured(picture, seen, f"<i>/{n}.png") for n in "ab")
    maps = (np.array([[0.5, -0.25]]), np.array([[0.25, 0.0]]))
    scores, random = np.array([0.9, 0.8, 0.1]), np.array([0.9, 0.4, 0.1])
    return WorstCase("exact", "<b>", pictures, maps, area, SHARES, scores, random)


@pytest.fixture
def peaks() -> PeakParts:
    """Group 0 is always on the head; group 1 on the head once, on nothing three times."""
    codes = np.array([[0, 1], [0, 1], [0, 0], [0, 1]])
    chance = np.array([0.25, 0.75])
    return PeakParts("attention", ("head", "background"), codes, np.array([0, 0, 1, 1]), chance, 0)


@pytest.fixture
def report(peaks) -> ExplanationsReport:
    where = Localisation("exact", share("figure", 0.8), (share("head", 0.4),), 6, 0)
    cosine = Interval(0.1, 0.2, 0.3)
    return ExplanationsReport(
        model="attentive head of 2 groups on tiny",
        data="/a & b: 6 pictures of 3 classes",
        pairs=3,
        seed=0,
        methods=("exact", "grad_cam", "random"),
        faithfulness=(
            faithful("exact", 0.0),
            faithful("grad_cam", 0.2),
            faithful("random", 0.5),
            faithful("exact", 0.3, swapped=True),
            faithful("exact", 0.1, fill="mean"),
        ),
        randomisation=(
            Randomisation("exact", "all", (), Correlations(np.array([0.1, -0.5]), [0, 1])),
        ),
        localisation=(where, replace(where, of="grad_cam")),
        groups=(describe_groups(peaks),),
        diversity=(Diversity("attention", 2, 4, cosine, cosine, None, None),),
        stability=(stable("exact", 0.9),),
        worst=(case(0.7), case(0.6)),
        left_out=("diversity, tokens: none of <these>",),
    )


class Balance(HTMLParser):
    """Tags that are open; they must close in their order."""

    VOID = frozenset({"meta", "line", "circle", "path", "img"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag, attributes):
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        assert tag in self.VOID

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data.strip())


def test_tables_tell_each_number_and_its_interval(report):
    tables = {table.title: table for table in method_tables(report)}
    assert list(tables) == [
        "Faithfulness, hidden cells blurred",
        "Faithfulness, hidden cells mean colour",
        "Control: random weights",
        "Localisation",
        "Stability",
    ]
    blurred = dict(tables["Faithfulness, hidden cells blurred"].rows)
    assert list(blurred) == ["exact", "Grad-CAM", "random", "exact, another pair's"]
    # (1 + 2 · 0.2) / 4, and 1 − that for insertion; the raw area is the same here.
    assert blurred["Grad-CAM"] == (
        Cell("0.350", "[0.350, 0.350]"),
        Cell("0.650", "[0.650, 0.650]"),
        Cell("0.350", "[0.350, 0.350]"),
        Cell("0.650", "[0.650, 0.650]"),
    )
    assert dict(tables["Control: random weights"].rows)["exact"][0].value == "−0.200"
    where = tables["Localisation"]
    assert where.columns == ("map", "peak on figure", "mass on figure", "peak on head", "maps")
    assert dict(where.rows)["Grad-CAM"] == (
        Cell("0.800", "[0.700, 0.900]"),
        Cell("0.300", "[0.000, 1.000]"),
        Cell("0.400", "[0.300, 0.500]"),
        Cell("6"),
    )
    assert [c.value for c in dict(where.rows)["by chance"]] == ["0.200", "0.100", "0.200", ""]
    steady = dict(tables["Stability"].rows)
    assert steady["exact"] == (Cell("0.900", "in place 0.100"),)
    assert steady["change of the score"] == (Cell("0.010", "[0.000, 0.020]"),)
    for table in (*tables.values(), *group_tables(report)):
        assert {len(cells) + 1 for _, cells in table.rows} == {len(table.columns)}


def test_tables_of_groups(report, peaks):
    information, each, diversity = group_tables(report)
    # Of 8 peaks 5 are on the head: H(part) = 0.954 bits, less half of H(1/4) = 0.811.
    held = -(5 / 8) * math.log2(5 / 8) - (3 / 8) * math.log2(3 / 8) - 0.811278 / 2
    assert information.rows[0][0] == "attention"
    values = [cell.value for cell in information.rows[0][1]]
    assert values[0] == f"{held:.3f}"
    assert values[2:4] == ["1.000", "0.875"]  # log₂ 2, and the mean of 1 and 3/4
    assert each.title == "Where the attention of groups peak, all 2"
    assert [name for name, _ in each.rows] == ["group 0", "group 1", "any cell"]
    assert [cell.value for cell in each.rows[1][1]][:2] == ["25 %", "75 %"]
    assert [cell.value for cell in each.rows[2][1]][:2] == ["25 %", "75 %"]
    assert diversity.rows == (
        (
            "attention",
            (Cell("0.200", "[0.100, 0.300]"), Cell("0.200", "[0.100, 0.300]"), *[Cell("–")] * 2),
        ),
    )
    many = replace(peaks, codes=np.tile(peaks.codes, (1, 100)))
    _, first, _ = group_tables(replace(report, groups=(describe_groups(many),)))
    assert first.title.endswith(f"the first {MOST_GROUPS} of 200")
    assert len(first.rows) == MOST_GROUPS + 1


def test_findings_name_the_best_and_whether_others_are_apart(report):
    said = findings(report)
    assert said[0] == (
        "Deletion, hidden cells blurred: best is exact, 0.250 [0.250, 0.250]; "
        "Grad-CAM 0.350 [0.350, 0.350], intervals apart; "
        "random 0.500 [0.500, 0.500], intervals apart."
    )
    assert said[1].startswith("Insertion, hidden cells blurred: best is exact, 0.750")
    assert said[2] == "Deletion, hidden cells mean colour: best is exact, 0.300 [0.300, 0.300]."
    worse = replace(report, faithfulness=(faithful("exact", 0.4), faithful("random", 0.4)))
    assert "random 0.450 [0.450, 0.450], intervals overlap." in findings(worse)[0]
    assert (
        "The map's peak is on a known part (figure): exact 80 %, Grad-CAM 80 %; any cell 20 %."
        in said
    )
    assert "Correlation with maps of random weights: exact −0.200." in said
    assert "Following a shift by a cell: r = exact 0.900." in said


def test_the_page_is_whole_stands_alone_and_escapes(report):
    page = report.to_html()
    parser = Balance()
    parser.feed(page)
    assert parser.open == []
    assert "http" not in page
    assert "<script" not in page
    assert "<b>" not in page
    assert "1. <b>: deletion area 0.70" in parser.texts
    assert "diversity, tokens: none of <these>" in parser.texts
    assert page.index("deletion area 0.70") < page.index("deletion area 0.60")
    assert page.count("data:image/jpeg;base64,") == 8
    for sentence in findings(report):
        assert sentence in parser.texts
    for table in (*method_tables(report), *group_tables(report)):
        assert table.title in parser.texts


def test_a_page_of_what_little_there_is():
    page = ExplanationsReport("m", "d", 1, 0, ("exact",)).to_html()
    assert "<svg" not in page
    assert "<table" not in page


def test_markdown_has_a_table_for_each_measure(report):
    text = report.to_markdown()
    assert "| exact | 0.250 [0.250, 0.250] | 0.750 [0.750, 0.750] |" in text
    for table in (*method_tables(report), *group_tables(report)):
        assert f"## {table.title}\n" in text
        assert table.definition in text
    assert "| <b> | <i>/a.png | <i>/b.png | 0.700 |" in text
    assert "- diversity, tokens: none of <these>" in text


def test_the_lines_for_a_terminal_stand_under_each_other(report):
    lines = str(report).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("hidden cells blurred"))
    head, exact, *_, swapped = lines[start : start + 5]
    for line in (exact, swapped):
        assert line[head.index("deletion") :].startswith("0.")
        assert line[head.index("insertion") :].startswith("0.")
    assert swapped.startswith("  exact, another pair's ")
    assert lines[-1] == "! left out, diversity, tokens: none of <these>"


def test_a_scale_puts_values_between_its_ends():
    scale = Scale(1.0, 3.0, 30.0, 10.0, ())
    assert [scale.at(value) for value in (1.0, 1.5, 3.0)] == [30.0, 25.0, 10.0]


def test_curves_lie_where_the_axes_say(report):
    plots = {plot.title: plot for plot in curve_plots(report)}
    assert list(plots) == [
        "Deletion, blurred",
        "Deletion, mean colour",
        "Insertion, blurred",
        "Insertion, mean colour",
    ]
    plot = plots["Deletion, blurred"]
    assert [line.name for line in plot.lines] == [
        "random order",
        "exact",
        "Grad-CAM",
        "random",
        "exact, another pair's",
    ]
    assert [line.dashed for line in plot.lines] == [True, False, False, False, True]
    assert [line.colour for line in plot.lines] == [None, 0, 1, 2, 0]
    points = [tuple(map(float, p.split())) for p in plot.lines[2].path[1:].split(" L")]
    values = [1.0, 0.2, 0.0]
    expected = [(plot.x.at(x), plot.y.at(y)) for x, y in zip(SHARES, values, strict=True)]
    assert np.allclose(points, expected, atol=0.06)
    assert plot.y.at(1.0) < plot.y.at(0.0)  # up is more


def test_a_band_holds_the_curve_and_narrows_with_agreement():
    scores = np.array([[1.0, 0.1, 0.0], [1.0, 0.5, 0.0], [1.0, 0.9, 0.0]])
    low, high = band(Curves("deletion", SHARES, scores, RANDOM, np.arange(3)))
    assert (low[0], high[0]) == (1.0, 1.0)
    assert 0.1 <= low[1] < 0.5 < high[1] <= 0.9
    low, high = band(curves("deletion", 0.3))
    assert low[1] == pytest.approx(0.3)
    assert high[1] == pytest.approx(0.3)


def test_areas_stand_on_the_line_of_their_map(report):
    plot = area_plot(report)
    lines = dict(plot.names)
    title, better, x, areas = plot.panels[0]
    assert (title, better) == ("Deletion, blurred", "← better")
    assert [area.y for area in areas] == list(lines.values())
    assert [area.x for area in areas] == [x.at(v) for v in (0.25, 0.35, 0.5, 0.4)]
    _, _, x, areas = plot.panels[1]
    assert [(area.x, area.y) for area in areas] == [(x.at(0.3), lines["exact"])]
    assert area_plot(replace(report, faithfulness=())) is None


def test_a_case_is_drawn_in_its_own_score(report):
    plot = case_plot(report.worst[0])
    assert plot.y.ticks == (pytest.approx(0.1), pytest.approx(0.5), pytest.approx(0.9))
    random, own = plot.lines
    assert (random.dashed, own.dashed) == (True, False)
    assert own.path.startswith(f"M{plot.x.at(0.0):.1f} {plot.y.at(0.9):.1f} L")
