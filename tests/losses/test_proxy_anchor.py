import math

import pytest
import torch

from lookalike.losses import ProxyAnchor, pairs_with_classes, proxy_anchor_loss
from lookalike.protocols import PairScores


def against(cosines, labels, classes):
    positive, negative = pairs_with_classes(torch.tensor(labels), classes=classes)
    return PairScores(cosines, positive, negative, torch.tensor(labels), dim=4)


def test_by_hand():
    cosines = torch.tensor([[[0.9, 0.1, -0.2], [0.4, 0.3, 0.0]]], dtype=torch.float64)
    scores = against(cosines, [0, 0], 3)
    pull = math.log1p(math.exp(-32 * 0.8) + math.exp(-32 * 0.3))  # one proxy is present
    push = math.log1p(math.exp(32 * 0.2) + math.exp(32 * 0.4))
    push += math.log1p(math.exp(32 * -0.1) + math.exp(32 * 0.1))
    assert float(proxy_anchor_loss(scores)) == pytest.approx(pull + push / 3)


def test_large_logits_do_not_overflow():
    cosines = torch.tensor([[[-1.0, 1.0]]], requires_grad=True)
    loss = proxy_anchor_loss(against(cosines, [0], 2), scale=1e4)
    loss.backward()
    assert float(loss.detach()) == pytest.approx(1e4 * 1.1 * 1.5)
    assert bool(torch.isfinite(cosines.grad).all())


def test_proxies_are_unit_vectors_of_a_parameter():
    loss = ProxyAnchor().build(classes=7, groups=2, dim=5, seed=3)
    assert [name for name, _ in loss.named_parameters()] == ["proxy"]
    (level,) = loss.proxies().levels
    assert level.vectors.shape == (7, 2, 5)
    torch.testing.assert_close(level.vectors.norm(dim=-1), torch.ones(7, 2))
    same, other = (ProxyAnchor().build(classes=7, groups=2, dim=5, seed=s) for s in (3, 4))
    assert torch.equal(loss.proxy, same.proxy)
    assert not torch.equal(loss.proxy, other.proxy)
