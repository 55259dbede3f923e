"""Published numbers, compared with the tables they were taken from, typed in again here."""

import pytest

from lookalike.comparison.comparison_tables import beside, published
from lookalike.data.benchmarks import BENCHMARKS


def find(benchmark: str, method: str, source: str = "", backbone: str = ""):
    (found,) = [
        result
        for result in published(benchmark)
        if result["method"] == method
        and source in result["source"]
        and backbone in result["backbone"]
    ]
    return found


@pytest.mark.parametrize(
    ("benchmark", "method", "where", "recalls"),
    [
        ("cub", "AVSL on Proxy-Anchor", ("authors", "ResNet-50"), "71.9 81.7 88.1 93.2"),
        ("cars", "Proxy-Anchor, AVSL's baseline", ("re-run", ""), "87.7 92.9 95.8 97.9"),
        ("sop", "AVSL on Proxy-Anchor", ("authors", ""), "79.6 91.4 96.4"),
        ("cub", "ABE-8", ("secondary", "GoogLeNet"), "60.6 71.5 79.8 87.4"),
        ("inshop", "ABE-8", ("secondary", ""), "87.3 96.7 97.9 98.2 98.5 98.7"),
        ("cars", "Proxy-Anchor", ("authors", "BN-Inception"), "86.4 91.9 95.0 97.0"),
        ("cub", "Proxy-Anchor", ("authors", "ResNet-50"), "69.9 79.6 86.6 91.4"),
        ("inshop", "Proxy-Anchor", ("authors", ""), "91.9 98.1 98.7 99.0 99.1"),
        ("cub", "HDC", ("secondary", ""), "53.6 65.7 77.0 85.6 91.5 95.5"),
        ("cars", "Margin", ("secondary", ""), "79.6 86.5 91.9 95.1 97.3"),
        ("sop", "HTL", ("secondary", ""), "74.8 88.3 94.8 98.4"),
        ("inshop", "A-BIER", ("secondary", ""), "83.1 95.1 96.9 97.5 97.8 98.0"),
        ("inshop", "FashionNet", ("secondary", ""), "53 73 76 77 79 80"),
        ("sop", "Lifted Structure", ("secondary", ""), "62.1 79.8 91.3 97.4"),
        ("inshop", "Triplet, semi-hard", ("re-run", "ResNet-50"), "83.9 96.3 97.6 98.4 98.8"),
    ],
)
def test_recalls_are_as_printed(benchmark, method, where, recalls):
    result = find(benchmark, method, *where)
    assert result["recalls"] == recalls


def test_ranks_dimensions_and_clusterings_are_as_printed():
    assert find("inshop", "Triplet, semi-hard")["ks"] == "1 10 20 30 50"
    assert find("cub", "A-BIER")["ks"] == "1 2 4 8 16 32"
    assert find("sop", "ABE-8")["ks"] == "1 10 100 1000"
    margin = find("sop", "Margin, distance sampling")
    assert (margin["nmi"], margin["f1"]) == ("89.6", "34.9")
    assert (find("cub", "HDC")["dim"], find("cub", "Margin")["dim"]) == ("384", "")
    assert find("cub", "ProxyNCA", "re-run")["nmi"] == "68.1"
    assert find("cub", "ProxyNCA", "secondary")["nmi"] == ""


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_every_number_is_a_percentage_and_every_rank_has_a_recall(benchmark):
    assert published(benchmark)
    for result in published(benchmark):
        recalls = [float(recall) for recall in result["recalls"].split()]
        assert len(recalls) == len(result["ks"].split())
        assert recalls == sorted(recalls)
        assert all(0 < float(x) < 100 for x in (*recalls, result["nmi"] or 1, result["f1"] or 1))


def test_what_nobody_could_check_is_not_quoted(comparison):
    for benchmark in ("cub", "cars", "sop"):
        assert all(result["method"] != "A-grouping" for result in published(benchmark))
        assert "not quoted" in beside(comparison, benchmark).definition
    assert "not quoted" not in beside(comparison, "inshop").definition
    ours = find("inshop", "A-grouping")
    assert (ours["ks"], ours["recalls"], ours["selected"]) == ("1", "88.93", "best on test")
    others = [r for b in BENCHMARKS for r in published(b) if r is not ours]
    assert len(others) == 55
    assert {result["selected"] for result in others} == {"not stated"}


def test_ours_come_first_in_percent_and_say_how_they_were_selected(comparison):
    shown = beside(comparison, "cub")
    assert shown.title == "Published on CUB-200-2011"
    assert [column.label for column in shown.columns] == [
        *("method", "backbone", "dim", "R@1", "R@2", "R@4", "R@8", "R@16", "R@32"),
        *("NMI", "F1", "epoch chosen on", "from"),
    ]
    assert [row[0].small for row in shown.cells] == ["(ours)"] * 4 + [""] * 16
    assert [cell.text for cell in shown.cells[2]] == [
        *("gated-binomial", "tiny", "512", "60.0", "–", "80.0", "–", "–", "–", "80.0", "–"),
        *("16 held-out training classes", "mean of 3 seeds"),
    ]
    assert shown.rows[4][3:9] == ("71.9", "81.7", "88.1", "93.2", "–", "–")


@pytest.mark.parametrize(
    ("benchmark", "ks"), [("sop", (1, 10, 100, 1000)), ("inshop", (1, 10, 20, 30, 40, 50))]
)
def test_recall_has_the_ranks_of_the_benchmark(comparison, benchmark, ks):
    labels = [column.label for column in beside(comparison, benchmark).columns]
    assert [label for label in labels if label.startswith("R@")] == [f"R@{k}" for k in ks]
