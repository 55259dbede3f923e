import math

import pytest
import torch

from lookalike.losses import distance_weighted_odds, pairs_within, sample_triplets
from lookalike.protocols import PairScores


def density(d, dim):
    """q(d) of the paper, without its constant."""
    return d ** (dim - 2) * (1 - d * d / 4) ** ((dim - 3) / 2)


@pytest.mark.parametrize("dim", [1, 2, 3, 4, 10])
def test_odds_are_the_inverse_density(dim):
    distances = [0.1, 0.5, 1.0, 1.6, 1.9]
    expected = [1 / density(max(d, 0.5), dim) for d in distances]
    odds = distance_weighted_odds(
        torch.tensor([[distances]], dtype=torch.float64),
        torch.ones(1, 5, dtype=torch.bool),
        dim=dim,
    )
    assert odds[0, 0].tolist() == pytest.approx([e / sum(expected) for e in expected])


@pytest.mark.parametrize("dim", [1, 2, 3, 128, 4096])
@pytest.mark.parametrize("distance", [0.0, 1.45, 1.99, 2.0])
def test_odds_stay_finite_at_any_distance(dim, distance):
    distances = torch.full((1, 3, 3), distance)
    distances[0, 0, 1] = 1.41
    negative = ~torch.eye(3, dtype=torch.bool)
    odds = distance_weighted_odds(distances, negative, dim=dim)
    assert bool(torch.isfinite(odds).all())
    torch.testing.assert_close(odds.sum(-1), torch.ones(1, 3))
    assert torch.equal(odds[0].diagonal(), torch.zeros(3))


def test_a_row_without_negatives_has_even_odds():
    odds = distance_weighted_odds(torch.rand(1, 1, 4), torch.zeros(1, 4, dtype=torch.bool), dim=8)
    assert odds.tolist() == [[[0.25] * 4]]


def line_scores(cosines, labels):
    positive, negative = pairs_within(torch.tensor(labels), torch.arange(len(labels)))
    return PairScores(cosines, positive, negative, torch.tensor(labels), dim=4)


def test_draws_follow_the_odds():
    labels = [0, 0, 0, 1, 1, 2]
    rows, copies = len(labels), 20_000
    cosines = torch.linspace(-0.9, 0.9, rows * rows).view(rows, rows)
    scores = line_scores(cosines.expand(copies, -1, -1), labels)
    triplets = sample_triplets(scores, generator=torch.Generator().manual_seed(0))
    odds = distance_weighted_odds(
        scores.squared_distances()[:1].sqrt(), scores.negative, dim=scores.dim
    )[0]
    for row in range(rows - 1):  # the last has no positive
        drawn = torch.bincount(triplets.negative[:, row], minlength=rows) / copies
        torch.testing.assert_close(drawn, odds[row], atol=4 * 0.5 / math.sqrt(copies), rtol=0)
        positive = torch.bincount(triplets.positive[:, row], minlength=rows) / copies
        even = scores.positive[row] / scores.positive[row].sum()
        torch.testing.assert_close(positive, even, atol=4 * 0.5 / math.sqrt(copies), rtol=0)
    assert triplets.valid[0].tolist() == [True] * 5 + [False]


@pytest.mark.parametrize("labels", [[0, 0, 0], [0, 1, 2]])
def test_without_a_negative_or_a_positive_an_anchor_is_left_out(labels):
    triplets = sample_triplets(line_scores(torch.zeros(2, 3, 3), labels))
    assert not bool(triplets.valid.any())
    assert triplets.valid.shape == (2, 3)


def test_groups_draw_on_their_own():
    scores = line_scores(torch.zeros(2, 40, 40), [0, 1] * 20)
    triplets = sample_triplets(scores, generator=torch.Generator().manual_seed(1))
    assert not torch.equal(triplets.negative[0], triplets.negative[1])
    assert not torch.equal(triplets.positive[0], triplets.positive[1])


def test_the_generator_decides():
    scores = line_scores(torch.zeros(1, 40, 40), [0, 1] * 20)
    one, two, other = (
        sample_triplets(scores, generator=torch.Generator().manual_seed(seed)).negative
        for seed in (3, 3, 4)
    )
    assert torch.equal(one, two)
    assert not torch.equal(one, other)


def test_pick_reads_the_pairs():
    cosines = torch.arange(32.0).view(2, 4, 4) / 40
    scores = line_scores(cosines, [0, 0, 1, 1])
    triplets = sample_triplets(scores, generator=torch.Generator().manual_seed(0))
    to_positive, to_negative = triplets.pick(cosines)
    for group in range(2):
        for t in range(4):
            a, p, n = (x[group, t] for x in (triplets.anchor, triplets.positive, triplets.negative))
            assert to_positive[group, t] == cosines[group, a, p]
            assert to_negative[group, t] == cosines[group, a, n]
