"""Histograms of self-pair cosines: what is drawn where."""

import pytest

from lookalike.comparison import Comparison, ComparisonReport
from lookalike.comparison.learner_plots import TALLEST, histograms
from lookalike.comparison.page import to_html
from lookalike.comparison.summary import summarise


def counts(**bins: int) -> tuple[int, ...]:
    """Make a histogram from bins named b0 to b39."""
    return tuple(bins.get(f"b{number}", 0) for number in range(40))


@pytest.fixture
def ensembles(make_row) -> Comparison:
    def row(name, seed, mean, **bins):
        measures = {
            "recall_at_1": 0.5,
            "self_pair_cosine_mean": mean,
            "self_pair_cosine_deviation": 0.05,
        }
        return make_row(
            name, seed, measures=measures, series={"self_pair_cosine_counts": counts(**bins)}
        )

    return Comparison(
        (
            row("apart-margin", 0, 0.10, b21=3, b22=1),
            row("apart-margin", 1, 0.12, b22=4),
            row("alike-margin", 0, 0.80, b36=8),
            make_row("single-margin", measures={"recall_at_1": 0.4}),
        ),
        (),
        0,
    )


def test_bins_of_all_seeds_are_added_and_stand_where_their_cosines_are(ensembles):
    plot = histograms(summarise(ensembles))
    apart, alike = plot.rows
    assert (apart.name, alike.name) == ("apart-margin", "alike-margin")
    # Bin 21 is 0.05 to 0.1 with 3 cosines, bin 22 is 0.1 to 0.15 with 5: the tallest.
    heights = {(round(x, 6), round(apart.base - y, 6)) for x, y in apart.outline}
    place = [round(plot.x.at(cosine), 6) for cosine in (0.05, 0.1, 0.15)]
    assert {
        (place[0], round(TALLEST * 3 / 5, 6)),
        (place[1], TALLEST),
        (place[2], TALLEST),
    } <= heights
    assert apart.mean == pytest.approx(plot.x.at(0.11))
    assert apart.numbers == "0.110, deviation 0.050"
    assert apart.words == "apart-margin: mean 0.110, deviation 0.050; 62% in the tallest bin"
    assert max(alike.base - y for _, y in alike.outline) == pytest.approx(TALLEST)


def test_the_axis_shows_the_bins_in_use_and_one_more(ensembles):
    x = histograms(summarise(ensembles)).x
    assert (x.low, x.high) == pytest.approx((0.0, 0.9))
    for row in histograms(summarise(ensembles)).rows:
        assert all(x.start - 1 < place < x.end + 1 for place, _ in row.outline)


def test_the_ends_of_the_scale_are_not_passed(make_row):
    row = make_row(
        "a",
        measures={"self_pair_cosine_mean": 0.0, "self_pair_cosine_deviation": 1.0},
        series={"self_pair_cosine_counts": counts(b0=1, b39=1)},
    )
    x = histograms(summarise(Comparison((row,), (), 0))).x
    assert (x.low, x.high) == (-1.0, 1.0)
    assert x.write(x.ticks[0]) == "−1.0"


def test_the_page_has_them_only_where_there_are_learners(ensembles, comparison):
    page = to_html(ComparisonReport(ensembles, title="T", command="c"))
    assert page.count('<polygon class="area') == 2
    assert "Two learners, one picture" in page
    assert "Two learners" not in to_html(ComparisonReport(comparison, title="T", command="c"))
