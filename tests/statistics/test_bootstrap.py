import numpy as np
import pytest

from lookalike.errors import UsageError
from lookalike.explanation.measures import Interval, bootstrap_interval
from lookalike.statistics.bootstrap import bootstrap_statistic

VALUES = np.random.default_rng(0).exponential(size=400)


def test_a_mean_has_the_interval_of_its_standard_error():
    interval = bootstrap_interval(VALUES, draws=5000)
    error = VALUES.std(ddof=1) / np.sqrt(len(VALUES))
    assert interval.mean == pytest.approx(VALUES.mean())
    assert interval.high - interval.mean == pytest.approx(1.96 * error, rel=0.1)
    assert interval.mean - interval.low == pytest.approx(1.96 * error, rel=0.1)
    narrow = bootstrap_interval(VALUES, level=0.68, draws=5000)
    assert (narrow.high - narrow.low) / 2 == pytest.approx(error, rel=0.1)


def test_pairs_of_one_query_are_drawn_together():
    """Each value four times over says no more than once, if it is known to be the same query."""
    once = bootstrap_interval(VALUES)
    queries = np.arange(len(VALUES)).repeat(4).tolist()
    clustered = bootstrap_interval(VALUES.repeat(4), clusters=queries)
    alone = bootstrap_interval(VALUES.repeat(4))
    assert (clustered.low, clustered.high) == pytest.approx((once.low, once.high))
    assert alone.high - alone.low == pytest.approx((once.high - once.low) / 2, rel=0.1)


def test_a_ratio_of_means_is_taken_anew_in_each_draw():
    parts = np.array([[1.0, 2.0], [2.0, 4.0], [5.0, 10.0], [0.1, 0.2]])

    def ratio(weights):
        totals = weights @ parts
        return totals[:, 0] / totals[:, 1]

    interval = bootstrap_statistic(ratio, [0, 1, 2, 3], pairs=4)
    assert (interval.low, interval.mean, interval.high) == pytest.approx((0.5, 0.5, 0.5))


def test_the_seed_decides():
    assert bootstrap_interval(VALUES, seed=1) == bootstrap_interval(VALUES, seed=1)
    assert bootstrap_interval(VALUES, seed=1) != bootstrap_interval(VALUES, seed=2)


def test_intervals_overlap_where_they_share_a_point():
    middle = Interval(0.4, 0.5, 0.6)
    assert middle.overlaps(Interval(0.6, 0.7, 0.8))
    assert middle.overlaps(Interval(0.1, 0.5, 0.9))
    assert not middle.overlaps(Interval(0.61, 0.7, 0.8))
    assert not middle.overlaps(Interval(0.1, 0.2, 0.39))
    assert middle.as_dict() == {"low": 0.4, "mean": 0.5, "high": 0.6}


@pytest.mark.parametrize(
    ("values", "options"),
    [
        ([], {}),
        ([1.0, np.nan], {}),
        ([1.0, np.inf], {}),
        ([1.0, 2.0], {"clusters": [1]}),
        ([1.0, 2.0], {"level": 1.0}),
    ],
)
def test_what_has_no_interval_is_refused(values, options):
    with pytest.raises(UsageError):
        bootstrap_interval(values, **options)
