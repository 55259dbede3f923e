"""How a comparison was made, and what limits it."""

from dataclasses import replace

from lookalike.comparison import ComparisonReport
from lookalike.comparison.comparison_report import cautions, duration
from lookalike.data import demo_catalog
from lookalike.data.benchmarks import BENCHMARKS


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
