"""Calibration: percentiles and thresholds against counting, and what cannot be said."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import normalize

from lookalike.calibration import Calibration
from lookalike.config import parse
from lookalike.errors import ConfigError, LookalikeError, UsageError
from lookalike.evaluation import calibrate
from lookalike.similarity import Cosine, CosineSimilarity
from lookalike.types import Embedding

COSINE = Cosine().build(1)
FIELDS = {
    "same": (0.5, 0.75, 1.0),
    "different": (0.0, 0.25, 0.5),
    "same_pairs": 3000,
    "different_pairs": 20000,
    "rates": (0.1, 0.01, 0.001),
    "thresholds": (0.3, 0.4, 0.6),
    "measured_on": "20 classes of birds",
}


@pytest.fixture(scope="module")
def held_out():
    generator = torch.Generator().manual_seed(0)
    labels = torch.arange(30).repeat_interleave(20)
    centres = torch.randn(30, 8, generator=generator)
    noise = torch.randn(600, 8, generator=generator)
    return Embedding.of(normalize(centres[labels] + noise, dim=1)), labels


def scores_by_kind(embedding, labels):
    i, j = torch.triu_indices(len(labels), len(labels), 1)
    scores = COSINE.pairs(embedding[i], embedding[j]).numpy()
    same = (labels[i] == labels[j]).numpy()
    return scores[same], scores[~same]


def test_percentiles_are_shares_of_pairs_that_score_lower(held_out):
    found = calibrate(COSINE, *held_out)
    same, different = scores_by_kind(*held_out)
    assert (found.same_pairs, found.different_pairs) == (len(same), len(different))
    for score in np.linspace(-0.5, 0.95, 15):
        assert found.percentile_same(score) == pytest.approx(100 * (same < score).mean(), abs=0.3)
        assert found.percentile_different(score) == pytest.approx(
            100 * (different < score).mean(), abs=0.3
        )


def test_thresholds_keep_their_rates(held_out):
    found = calibrate(COSINE, *held_out)
    _, different = scores_by_kind(*held_out)
    for rate in (0.1, 0.01, 0.001, 1e-4):
        above = (different >= found.threshold(rate)).mean()
        assert above <= rate
        assert above == pytest.approx(rate, rel=0.06)
    between = (different >= found.threshold(0.0137)).mean()
    assert between == pytest.approx(0.0137, rel=0.05)


def test_a_draw_of_pairs_is_near_all_of_them(held_out):
    few = calibrate(COSINE, *held_out, max_pairs=5000, seed=1)
    same, different = scores_by_kind(*held_out)
    assert (few.same_pairs, few.different_pairs) == (5000, 5000)
    assert few.percentile_same(0.5) == pytest.approx(100 * (same < 0.5).mean(), abs=2)
    assert few.percentile_different(0.5) == pytest.approx(100 * (different < 0.5).mean(), abs=2)
    assert few == calibrate(COSINE, *held_out, max_pairs=5000, seed=1)
    assert few != calibrate(COSINE, *held_out, max_pairs=5000, seed=2)


@given(st.lists(st.integers(0, 4), min_size=3, max_size=20))
def test_every_pair_counts_once(labels):
    """Scores that name their pair: each is met once, with the right kind."""
    sizes = [labels.count(label) for label in set(labels)]
    if len(sizes) < 2 or max(sizes) < 2:
        with pytest.raises(UsageError, match="needs two pictures of one class"):
            calibrate(PairName(), Embedding.of(torch.arange(len(labels))[:, None] * 1.0), labels)
        return
    scorer = PairName()
    calibrate(scorer, Embedding.of(torch.arange(len(labels))[:, None] * 1.0), labels)
    pairs = list(itertools.combinations(range(len(labels)), 2))
    same, different = scorer.met
    assert sorted(same) == [(i, j) for i, j in pairs if labels[i] == labels[j]]
    assert sorted(different) == [(i, j) for i, j in pairs if labels[i] != labels[j]]


class PairName(CosineSimilarity):
    """Notes which pairs it is asked for."""

    def __init__(self):
        super().__init__(torch.ones(1))
        self.met = []

    def pairs(self, a, b, *, history=False):
        rows = zip(a.flat()[:, 0].tolist(), b.flat()[:, 0].tolist(), strict=True)
        self.met.append([(min(i, j), max(i, j)) for i, j in rows])
        return a.flat()[:, 0]


def test_a_threshold_counts_ties_against_itself():
    """Half of the different pairs score the same; a threshold at their score would let all in."""
    vectors = torch.eye(8).repeat_interleave(5, dim=0)
    found = calibrate(COSINE, Embedding.of(vectors), torch.arange(8).repeat_interleave(5))
    assert found.percentile_same(1.0) == 0  # none of them scores lower
    assert found.percentile_different(0.0) == 0
    assert found.percentile_different(0.5) == 100
    assert 0 < found.threshold(0.1) < 1e-44


def test_rates_that_the_pairs_cannot_support(held_out):
    few = calibrate(COSINE, *held_out, max_pairs=1000)
    assert few.rates[-1] == pytest.approx(0.01)
    with pytest.raises(UsageError, match=r"1000 different-class pairs support 0.01 to 0.1"):
        few.threshold(0.001)
    with pytest.raises(UsageError, match=r"0\.01 to 0\.1"):
        few.threshold(0.5)
    none = calibrate(COSINE, *held_out, max_pairs=50)
    with pytest.raises(UsageError, match="support no rate at all"):
        none.threshold(0.1)


def test_by_hand():
    c = Calibration(**FIELDS)
    assert c.percentile_same(0.5) == 0
    assert c.percentile_same(0.625) == 25
    assert c.percentile_same(2.0) == 100
    assert c.percentile_different(0.25) == 50
    assert c.threshold(0.01) == 0.4
    assert c.threshold(10**-2.5) == pytest.approx(0.5)
    assert c.describe(0.625) == (
        "0.625: 25.0 % of same-class pairs and 100.0 % of different-class pairs score lower "
        "(3,000 and 20,000 pairs of 20 classes of birds)."
    )


def test_survives_json(held_out):
    found = calibrate(COSINE, *held_out, measured_on="noise")
    assert Calibration.model_validate_json(found.model_dump_json()) == found


@pytest.mark.parametrize(
    "change",
    [
        {"same": (1.0, 0.5)},
        {"different": (0.0, float("nan"))},
        {"thresholds": (0.3, 0.4)},
        {"thresholds": (0.3, 0.2, 0.4)},
        {"rates": (0.001, 0.01, 0.1)},
        {"rates": (0.1, 0.01, 0.0)},
        {"same_pairs": 0},
    ],
)
def test_what_cannot_be_a_calibration(change):
    with pytest.raises(ConfigError):
        parse(Calibration, FIELDS | change)


def test_scores_must_be_finite():
    with pytest.raises(LookalikeError, match="not finite"):
        calibrate(COSINE, Embedding.of(torch.full((3, 2), torch.nan)), [0, 0, 1])


@pytest.mark.parametrize(
    ("labels", "max_pairs", "message"),
    [([0, 1], 10, "labels must be 3"), ([0, 0, 1], 0, "at least one pair")],
)
def test_what_does_not_fit_is_refused(labels, max_pairs, message):
    with pytest.raises(UsageError, match=message):
        calibrate(COSINE, Embedding.of(torch.eye(3)), labels, max_pairs=max_pairs)
