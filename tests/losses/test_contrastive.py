import math

import pytest
import torch

from lookalike.losses import Contrastive, sample_triplets

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
    loss = config.build(classes=2, groups=1, dim=2)
    return float(loss(scores, generator=generator).value)


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
