"""Losses against pytorch-metric-learning: equal where definitions are; if not, why not."""

import pytest
import torch
from pytorch_metric_learning import distances, losses, miners, reducers
from torch.nn.functional import normalize

from lookalike.losses import (
    Contrastive,
    Margin,
    ObjectiveConfig,
    ProxyAnchor,
    distance_weighted_odds,
    pairs_within,
    sample_triplets,
)
from lookalike.protocols import LossShape, PairScores
from lookalike.similarity import Cosine
from lookalike.types import Embedding

CLASSES, DIM = 6, 16
LABELS = torch.arange(CLASSES).repeat_interleave(4)
IDS = torch.arange(len(LABELS))


@pytest.fixture
def vectors():
    generator = torch.Generator().manual_seed(0)
    centres = torch.randn(CLASSES, DIM, generator=generator, dtype=torch.float64)
    noise = torch.randn(len(LABELS), DIM, generator=generator, dtype=torch.float64)
    return (centres[LABELS] + 1.5 * noise).requires_grad_()  # both sides normalise


def objective_of(loss):
    config = ObjectiveConfig(loss=loss)
    return config.build(Cosine().build(1), classes=CLASSES, groups=1, dim=DIM).double()


def value_of(objective, vectors, ids=IDS):
    return objective(Embedding.of(vectors), LABELS, ids).value


def scores_of(vectors):
    positive, negative = pairs_within(LABELS, IDS)
    unit = normalize(vectors, dim=1)
    return PairScores((unit @ unit.T)[None], positive, negative, LABELS, dim=DIM)


def assert_same(ours, theirs, *leaves):
    # theirs adds no 1e-8 under the root, ours does
    torch.testing.assert_close(ours, theirs, rtol=1e-6, atol=1e-7)
    for one, other in zip(
        torch.autograd.grad(ours, leaves), torch.autograd.grad(theirs, leaves), strict=True
    ):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-7)


def test_margin_on_the_same_triplets(vectors):
    scores = scores_of(vectors)
    triplets = sample_triplets(scores, generator=torch.Generator().manual_seed(0))
    beta = torch.linspace(0.9, 1.4, CLASSES, dtype=torch.float64)
    theirs = losses.MarginLoss(margin=0.2, beta=1.2, learn_beta=True, num_classes=CLASSES).double()
    theirs.beta.data = beta.clone()
    mined = (triplets.anchor[0], triplets.positive[0], triplets.negative[0])
    ours = Margin().of_triplets(scores, triplets, beta[None]).per_matrix.mean()
    assert_same(ours, theirs(vectors, LABELS, mined), vectors)


def test_the_boundary_learns_the_same(vectors):
    scores = scores_of(vectors.detach())
    triplets = sample_triplets(scores, generator=torch.Generator().manual_seed(0))
    theirs = losses.MarginLoss(margin=0.2, beta=1.2, learn_beta=True, num_classes=CLASSES).double()
    mined = (triplets.anchor[0], triplets.positive[0], triplets.negative[0])
    theirs(vectors.detach(), LABELS, mined).backward()
    ours = Margin().build(LossShape(classes=CLASSES, groups=1, dim=DIM)).double()
    Margin().of_triplets(scores, triplets, ours.boundary).per_matrix.mean().backward()
    torch.testing.assert_close(ours.boundary.grad[0], theirs.beta.grad)


def contrastive_of_theirs(reducer):
    return losses.ContrastiveLoss(
        pos_margin=0, neg_margin=1.2, distance=distances.LpDistance(power=1), reducer=reducer
    )


def test_contrastive_averaged_over_all_pairs(vectors):
    ours = value_of(objective_of(Contrastive(negative_margin=1.2)), vectors)
    theirs = contrastive_of_theirs(reducers.MeanReducer())(vectors, LABELS)
    assert_same(ours, theirs, vectors)


def test_contrastive_divides_by_all_pairs_where_theirs_counts_the_active_ones(vectors):
    # Their default averages over terms above zero, so a negative that gets settled makes the
    # others count more. The published loss is an average over pairs, and so is ours.
    theirs = contrastive_of_theirs(reducers.AvgNonZeroReducer())(vectors, LABELS).detach()
    ours = value_of(objective_of(Contrastive(negative_margin=1.2)), vectors).detach()
    scores = scores_of(vectors.detach())
    push = (1.2 - scores.distances()[0, scores.negative]).relu()
    missing = push.sum() / (push > 0).sum() - push.mean()
    assert float(missing) > 0.05
    torch.testing.assert_close(theirs - ours, missing, rtol=1e-6, atol=1e-7)


def test_proxy_anchor(vectors):
    objective = objective_of(ProxyAnchor())
    theirs = losses.ProxyAnchorLoss(CLASSES, DIM, margin=0.1, alpha=32).double()
    theirs.proxies.data = objective.loss.proxy.detach()[:, 0].clone()
    assert_same(value_of(objective, vectors), theirs(vectors, LABELS), vectors)
    value_of(objective, vectors.detach()).backward()
    theirs(vectors.detach(), LABELS).backward()
    torch.testing.assert_close(objective.loss.proxy.grad[:, 0], theirs.proxies.grad)


def test_a_picture_drawn_twice_is_their_positive_and_not_ours(vectors):
    # They know rows alone; ours knows which rows are one picture, and does not learn from that.
    twice = vectors.detach().clone()
    twice[1::2] = twice[::2]
    ids = IDS // 2 * 2
    objective = objective_of(Contrastive(negative_margin=0.0))
    theirs = contrastive_of_theirs(reducers.MeanReducer())
    theirs.neg_margin = 0
    ours = value_of(objective, twice, ids)
    # each picture's own copy is one of three positives, at no distance
    torch.testing.assert_close(ours * 2 / 3, theirs(twice, LABELS), rtol=1e-3, atol=1e-4)


def test_far_negatives_are_drawn_by_ours_and_never_by_theirs():
    # Their miner gives no odds to negatives beyond 1.4, which in high dimensions is about half of
    # a fresh model's; with none nearer it mines nothing sensible. Ours keeps the published odds.
    labels = torch.arange(8).repeat_interleave(2)
    unit = torch.eye(8, dtype=torch.float64)[labels]  # all negatives at √2
    positive, negative = pairs_within(labels, torch.arange(16))
    scores = PairScores((unit @ unit.T)[None], positive, negative, labels, dim=8)
    odds = distance_weighted_odds(scores.distances(), negative, dim=8)[0]
    torch.testing.assert_close(odds, negative / 14.0, check_dtype=False)
    assert bool(sample_triplets(scores).valid.all())
    anchors, _, _ = miners.DistanceWeightedMiner()(unit, labels)
    assert len(anchors) == 0
