"""How each measure shows its results: tables, sentences, lines for a terminal, charts, numbers."""

import math
import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

from lookalike.explanation.measures import MEASURES, Curves, describe_groups
from lookalike.explanation.measures.faithfulness_charts import band
from lookalike.explanation.measures.group_object_parts import MOST_GROUPS
from lookalike.rendering.tables import TableCell

from .conftest import RANDOM, SHARES, curves, faithful


def tables_of(key, results):
    return {table.title: table for table in MEASURES[key].tables(results[key])}


def rows_of(table):
    """The cells of each row by its name."""
    return {first.text: others for first, *others in table.cells}


def labels(table):
    return [column.label for column in table.columns]


def texts(cells):
    return [cell.text for cell in cells]


@pytest.mark.parametrize("key", MEASURES)
def test_every_measure_shows_its_results(key, results):
    measure = MEASURES[key]
    assert measure.tables(results[key])
    assert measure.findings(results[key]) or measure.charts(results[key])
    for finding in measure.findings(results[key]):
        assert finding.endswith(".")
        assert finding[0].isupper()


@pytest.mark.parametrize("key", MEASURES)
def test_every_number_is_one_of_the_quantities(key, results):
    measure = MEASURES[key]
    keys = [quantity.key for quantity in measure.quantities]
    for name in measure.numbers(results[key]):
        assert any(name == k or (measure.of_methods and name.startswith(f"{k}_")) for k in keys)


def test_faithfulness_is_told_for_each_fill(results):
    tables = tables_of("faithfulness", results)
    assert list(tables) == [
        "Faithfulness, hidden cells blurred",
        "Faithfulness, hidden cells mean colour",
    ]
    blurred = rows_of(tables["Faithfulness, hidden cells blurred"])
    assert list(blurred) == ["exact", "Grad-CAM", "random", "exact, another pair's"]
    # (1 + 2 · 0.2) / 4, and 1 − that for insertion; the raw area is the same here.
    assert blurred["Grad-CAM"] == [
        TableCell("0.350", "[0.350, 0.350]"),
        TableCell("0.650", "[0.650, 0.650]"),
        TableCell("0.350", "[0.350, 0.350]"),
        TableCell("0.650", "[0.650, 0.650]"),
    ]
    first, second = tables.values()
    assert first.definition
    assert not second.definition
    numbers = MEASURES["faithfulness"].numbers(results["faithfulness"])
    assert numbers["deletion_exact"] == pytest.approx(0.25)  # blurred, the first fill
    assert numbers["insertion_grad_cam"] == pytest.approx(0.65)
    assert numbers["deletion_exact_of_another_pair"] == pytest.approx(0.4)


def test_the_best_map_is_named_and_whether_others_are_apart(results):
    measure = MEASURES["faithfulness"]
    said = measure.findings(results["faithfulness"])
    assert said[0] == (
        "Deletion, hidden cells blurred: best is exact, 0.250 [0.250, 0.250]; "
        "Grad-CAM 0.350 [0.350, 0.350], intervals apart; "
        "random 0.500 [0.500, 0.500], intervals apart."
    )
    assert said[1].startswith("Insertion, hidden cells blurred: best is exact, 0.750")
    assert said[2] == "Deletion, hidden cells mean colour: best is exact, 0.300 [0.300, 0.300]."
    worse = measure.findings((faithful("exact", 0.4), faithful("random", 0.4)))
    assert "random 0.450 [0.450, 0.450], intervals overlap." in worse[0]


def test_lines_for_a_terminal_are_in_columns(results):
    head, exact, *_, swapped, _, _ = MEASURES["faithfulness"].summary(results["faithfulness"])
    for line in (exact, swapped):
        assert line[head.index("deletion") :].startswith("0.")
        assert line[head.index("insertion") :].startswith("0.")
    assert swapped.startswith("  exact, another pair's ")


def test_areas_and_curves_are_drawn(results):
    areas, drawn = MEASURES["faithfulness"].charts(results["faithfulness"])
    for title in ("Deletion, blurred", "Deletion, mean colour", "Insertion, blurred"):
        assert title in areas.html
        assert title in drawn.html
    for words in ("Grad-CAM: 0.350 [0.350, 0.350]", "exact, another pair's: 0.400"):
        assert words in unescape(areas.html)
        assert words in unescape(drawn.html)
    assert "random order, 0.5" in drawn.html
    assert "random order" not in areas.html
    assert MEASURES["faithfulness"].charts(()) == ()


def test_a_band_holds_the_curve_and_narrows_with_agreement():
    scores = np.array([[1.0, 0.1, 0.0], [1.0, 0.5, 0.0], [1.0, 0.9, 0.0]])
    first, middle, _ = band(Curves("deletion", SHARES, scores, RANDOM, np.arange(3)))
    assert (first.low, first.high) == (1.0, 1.0)
    assert 0.1 <= middle.low < 0.5 < middle.high <= 0.9
    assert middle.mean == pytest.approx(0.5)
    _, middle, _ = band(curves("deletion", 0.3))
    assert (middle.low, middle.high) == (pytest.approx(0.3), pytest.approx(0.3))


def test_the_randomisation_test_is_told(results):
    (table,) = MEASURES["randomisation"].tables(results["randomisation"])
    assert texts(rows_of(table)["exact"]) == ["−0.200", "0"]
    (said,) = MEASURES["randomisation"].findings(results["randomisation"])
    assert said == "Correlation with maps of random weights: exact −0.200."


def test_localisation_is_told_beside_chance(results):
    (table,) = MEASURES["localisation"].tables(results["localisation"])
    assert labels(table) == ["map", "peak on figure", "mass on figure", "peak on head", "maps"]
    rows = rows_of(table)
    assert rows["Grad-CAM"] == [
        TableCell("0.800", "[0.700, 0.900]"),
        TableCell("0.300", "[0.000, 1.000]"),
        TableCell("0.400", "[0.300, 0.500]"),
        TableCell("6"),
    ]
    assert texts(rows["by chance"]) == ["0.200", "0.100", "0.200", ""]
    (said,) = MEASURES["localisation"].findings(results["localisation"])
    assert said == (
        "The map's peak is on a known part (figure): exact 80 %, Grad-CAM 80 %; any cell 20 %."
    )


def test_stability_is_told_with_the_change_of_the_score(results):
    (table,) = MEASURES["stability"].tables(results["stability"])
    rows = rows_of(table)
    assert rows["exact"] == [TableCell("0.900", "in place 0.100")]
    assert rows["change of the score"] == [TableCell("0.010", "[0.000, 0.020]")]
    (said,) = MEASURES["stability"].findings(results["stability"])
    assert said == "Following a shift by a cell: r = exact 0.900."


def test_groups_are_told_together_and_one_by_one(results, peaks):
    together, each = MEASURES["groups"].tables(results["groups"])
    # Of 8 peaks 5 are on the head: H(part) = 0.954 bits, less half of H(1/4) = 0.811.
    held = -(5 / 8) * math.log2(5 / 8) - (3 / 8) * math.log2(3 / 8) - 0.811278 / 2
    values = texts(rows_of(together)["attention"])
    assert values[0] == f"{held:.3f}"
    assert values[2:4] == ["1.000", "0.875"]  # log₂ 2, and the mean of 1 and 3/4
    assert each.title == "Where the attention of groups peak, all 2"
    rows = rows_of(each)
    assert list(rows) == ["group 0", "group 1", "any cell"]
    assert texts(rows["group 1"])[:2] == ["25 %", "75 %"]
    assert texts(rows["any cell"])[:2] == ["25 %", "75 %"]
    many = replace(peaks, codes=np.tile(peaks.codes, (1, 100)))
    _, first = MEASURES["groups"].tables((describe_groups(many),))
    assert first.title.endswith(f"the first {MOST_GROUPS} of 200")
    assert len(first.rows) == MOST_GROUPS + 1


def test_diversity_has_a_dash_where_nothing_was_measured(results):
    (table,) = MEASURES["diversity"].tables(results["diversity"])
    told = TableCell("0.200", "[0.100, 0.300]")
    assert rows_of(table) == {"attention": [told, told, TableCell("–"), TableCell("–")]}


def test_the_worst_pairs_are_shown_in_their_order(results):
    first, second = MEASURES["worst"].charts(results["worst"])
    assert first.title == "1. <b>: deletion area 0.70"
    assert second.title == "2. <b>: deletion area 0.60"
    assert first.html.count("data:image/jpeg;base64,") == 4
    assert "&lt;i&gt;/a.png" in first.html
    for name in ("random order", "order of the map"):
        assert name in re.sub(r"<!--.*?-->", "", first.html)
