import math

import pytest
import torch

from lookalike.losses import BinomialDeviance
from lookalike.protocols import LossShape


def test_by_hand(scores_of):
    scores = scores_of(torch.tensor([[[1.0, 0.0]], [[0.6, 0.8]], [[0.0, 1.0]]]), [0, 0, 1])
    pull = math.log1p(math.exp(-2 * (0.6 - 0.5)))
    push = (math.log1p(math.exp(50 * -0.5)) + math.log1p(math.exp(50 * (0.8 - 0.5)))) / 2
    loss = BinomialDeviance().build(LossShape(classes=2, groups=1, dim=2))
    assert float(loss(scores).per_matrix) == pytest.approx(pull + push, rel=1e-5)


def test_self_pairs_are_positives_of_cosine_one(scores_of):
    scores = scores_of(torch.eye(2)[:, None], [0, 1])
    push = math.log1p(math.exp(-25))
    kept = float(BinomialDeviance(keep_self_pairs=True)(scores).per_matrix)
    assert kept == pytest.approx(math.log1p(math.exp(-1)) + push, rel=1e-5)
    assert float(BinomialDeviance()(scores).per_matrix) == pytest.approx(push, rel=1e-5)
