import math

import pytest
import torch

from lookalike.losses import Diversity


def test_one_group_has_nothing_to_differ_from():
    between = torch.ones(3, 1, 1, requires_grad=True)
    for normalisation in ("paper", "released"):
        loss = Diversity(weight=1, normalisation=normalisation).of_cosines(between)
        loss.backward()
        assert float(loss.detach()) == 0
    assert torch.equal(between.grad, torch.zeros(3, 1, 1))


def test_by_hand():
    cosines = [0.9, 0.2, 0.6]  # of groups 0-1, 0-2, 1-2
    between = torch.eye(3)[None].clone()
    for (p, q), cosine in zip([(0, 1), (0, 2), (1, 2)], cosines, strict=True):
        between[0, p, q] = between[0, q, p] = cosine
    total = sum(math.log1p(math.exp(50 * (cosine - 0.5))) for cosine in cosines)
    paper, released = (
        Diversity(weight=1, normalisation=n).of_cosines(between) for n in ("paper", "released")
    )
    assert float(paper) == pytest.approx(total / 3, rel=1e-5)
    assert float(released) == pytest.approx(total / 2, rel=1e-5)


def test_the_weight_is_never_assumed():
    with pytest.raises(ValueError, match="weight"):
        Diversity()
