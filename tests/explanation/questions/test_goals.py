"""Goals of a change: their thresholds, and goals that cannot be reached."""

import pytest

from lookalike.calibration import Calibration
from lookalike.errors import UsageError
from lookalike.explanation.questions import Below, BelowPercentile, OutOfTop, explain_change


def test_a_percentile_is_that_of_different_pairs(plain, noise, monkeypatch):
    calibration = Calibration(
        same=(0.5, 1.0),
        different=(-1.0, 0.0, 0.5),
        same_pairs=9,
        different_pairs=9,
        rates=(),
        thresholds=(),
    )
    monkeypatch.setattr(plain, "calibration", calibration)
    for percent, score in ((25.0, -0.5), (50.0, 0.0), (75.0, 0.25)):
        bar = BelowPercentile(percent).threshold(plain, noise(1), noise(2))
        assert bar.number == pytest.approx(score)
        assert calibration.percentile_different(bar.number) == pytest.approx(percent)


@pytest.mark.parametrize(
    ("goal", "says"),
    [
        (Below(-1.0), "scores are never below -1"),
        (Below(float("nan")), "below nan"),
        (BelowPercentile(0.0), "choose a number between 0 and 100"),
        (BelowPercentile(100.0), "choose a number between 0 and 100"),
        (BelowPercentile(50.0), "no calibration"),
    ],
)
def test_what_cannot_be_asked_for(goal, says, plain, noise):
    with pytest.raises(UsageError, match=says):
        explain_change(plain, noise(1), noise(2), goal)


@pytest.mark.parametrize("k", [0, 8])
def test_k_is_within_the_gallery(k, plain, shelf):
    with pytest.raises(UsageError, match="choose from 1 to 7"):
        explain_change(plain, shelf.path(0), shelf.path(4), OutOfTop(k, shelf))


def test_the_bar_of_a_list_is_its_kth_best_score(plain, shelf):
    a, b = shelf.path(0), shelf.path(4)
    rows = [1, 2, 3, 5, 6, 7, 8]
    queries = plain.embed([shelf.path(0), shelf.path(3)])
    scores = plain.similarity.matrix(queries, plain.embed([shelf.path(i) for i in rows]))
    for k in (1, 3, 7):
        bar = OutOfTop(k, shelf).threshold(plain, a, b)
        expected = [sorted(row.tolist(), reverse=True)[k - 1] for row in scores]
        assert bar.heights(queries).tolist() == pytest.approx(expected, abs=1e-6)
        assert bar.rank(queries[0], expected[0] + 1e-6) == k
        assert bar.rank(queries[0], expected[0] - 1e-6) == k + 1
