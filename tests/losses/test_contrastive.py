import math

import pytest
import torch

from lookalike.losses import Contrastive, pairs_within, sample_triplets
from lookalike.protocols import LossShape, PairScores

# Angles of unit vectors in the plane: two classes of two.
ANGLES = [0.0, 0.5, 0.8, 2.0]
LABELS = [0, 0, 1, 1]


@pytest.fixture
def plane(scores_of):
    angles = torch.tensor(ANGLES, dtype=torch.float64)
    return scores_of(torch.stack([angles.cos(), angles.sin()], dim=1)[:, None], LABELS)


def chord(a, b):
    return 2 * math.sin(abs(a - b) / 2)


def loss_of(config, scores, generator=None):
    loss = config.build(LossShape(classes=2, groups=1, dim=2))
    return float(loss(scores, generator=generator).per_matrix.sum())


@pytest.mark.parametrize("squared", [False, True])
def test_all_pairs_by_hand(plane, squared):
    power = 2 if squared else 1
    pull, push = [], []
    for i, a in enumerate(ANGLES):
        for j, b in enumerate(ANGLES):
            distance = chord(a, b) ** power
            if i != j and LABELS[i] == LABELS[j]:
                pull.append(max(0, distance - 0.6))
            elif LABELS[i] != LABELS[j]:
                push.append(max(0, 0.9 - distance))
    expected = sum(pull) / len(pull) + sum(push) / len(push)
    config = Contrastive(positive_margin=0.6, negative_margin=0.9, squared=squared)
    assert loss_of(config, plane) == pytest.approx(expected, abs=1e-7)


# Pictures a and b of one class, c and d of another, as two learners see them.
TWO_LEARNERS = torch.tensor(
    [
        [[1.0, 0.0], [1.0, 0.0]],
        [[0.6, 0.8], [1.0, 0.0]],
        [[0.8, -0.6], [0.0, 1.0]],
        [[0.0, 1.0], [0.6, 0.8]],
    ],
    dtype=torch.float64,
)


def test_squared_distances_over_all_pairs_summed_over_learners_by_hand(scores_of):
    #               ab    cd     ac    ad    bc    bd
    # learner 0
    #   cosine     0.6  −0.6    0.8   0     0     0.8
    #   D²         0.8   3.2    0.4   2     2     0.4
    #   counts     0.8   3.2    0.6   0     0     0.6     5.2 over 6 pairs
    # learner 1
    #   cosine     1     0.8    0     0.6   0     0.6
    #   D²         0     0.4    2     0.8   2     0.8
    #   counts     0     0.4    0     0.2   0     0.2     0.8 over 6 pairs
    scores = scores_of(TWO_LEARNERS, LABELS)
    together = Contrastive(squared=True, average="pairs")
    assert loss_of(together, scores) == pytest.approx(5.2 / 6 + 0.8 / 6)
    # apart, two positive and four negative pairs: 4.0 / 2 + 1.2 / 4 and 0.4 / 2 + 0.4 / 4
    assert loss_of(Contrastive(squared=True), scores) == pytest.approx(2.3 + 0.3)


def test_a_picture_with_itself_is_no_pair_and_does_not_count_in_their_number():
    """Were it one, the sum would be the same and its divisor larger."""
    learners = TWO_LEARNERS[[0, 0, 2, 3]].transpose(0, 1)
    cosines = learners @ learners.transpose(1, 2)
    labels = torch.tensor(LABELS)
    positive, negative = pairs_within(labels, torch.tensor([7, 7, 8, 9]))
    scores = PairScores(cosines, positive, negative, labels, dim=2)
    # learner 0: cd 3.2, twice ac 0.6 and ad 0; learner 1: cd 0.4, twice ac 0 and ad 0.2; 5 pairs
    expected = (3.2 + 2 * 0.6) / 5 + (0.4 + 2 * 0.2) / 5
    together = Contrastive(squared=True, average="pairs")
    assert loss_of(together, scores) == pytest.approx(expected)


def test_pairs_of_triplets_are_averaged_together_too(plane):
    apart, together = (
        loss_of(
            Contrastive(pairs="triplets", average=average), plane, torch.Generator().manual_seed(7)
        )
        for average in ("each", "pairs")
    )
    assert together == pytest.approx(apart / 2)  # as many positives as negatives


def test_gradients_over_all_pairs_are_those_of_the_numbers(scores_of, random_vectors):
    config = Contrastive(squared=True, average="pairs", negative_margin=2.0)
    loss = config.build(LossShape(classes=2, groups=2, dim=3))

    def value(vectors):
        return loss(scores_of(vectors, LABELS)).per_matrix

    assert torch.autograd.gradcheck(value, random_vectors(4, 2, 3).requires_grad_())


def test_triplets_are_one_pull_and_one_push_for_each_anchor(plane):
    triplets = sample_triplets(plane, generator=torch.Generator().manual_seed(7))
    expected = 0.0
    for a, p, n in zip(triplets.anchor[0], triplets.positive[0], triplets.negative[0], strict=True):
        to_positive, to_negative = chord(ANGLES[a], ANGLES[p]), chord(ANGLES[a], ANGLES[n])
        expected += (to_positive + max(0, 1 - to_negative)) / len(ANGLES)
    actual = loss_of(Contrastive(pairs="triplets"), plane, torch.Generator().manual_seed(7))
    assert actual == pytest.approx(expected, abs=1e-7)


def test_settled_pairs_cost_nothing(scores_of):
    apart = scores_of(torch.tensor([[[1.0, 0.0]], [[-1.0, 0.0]]]), [0, 1])
    assert loss_of(Contrastive(), apart) == 0
