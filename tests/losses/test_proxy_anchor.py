import math

import pytest
import torch

from lookalike.losses import ProxyAnchor, pairs_with_classes
from lookalike.protocols import LossShape, PairScores


def against(cosines, labels, classes):
    positive, negative = pairs_with_classes(torch.tensor(labels), classes=classes)
    return PairScores(cosines, positive, negative, torch.tensor(labels), dim=4)


def test_by_hand():
    cosines = torch.tensor([[[0.9, 0.1, -0.2], [0.4, 0.3, 0.0]]], dtype=torch.float64)
    scores = against(cosines, [0, 0], 3)
    pull = math.log1p(math.exp(-32 * 0.8) + math.exp(-32 * 0.3))  # one proxy is present
    push = math.log1p(math.exp(32 * 0.2) + math.exp(32 * 0.4))
    push += math.log1p(math.exp(32 * -0.1) + math.exp(32 * 0.1))
    assert float(ProxyAnchor().of_scores(scores)) == pytest.approx(pull + push / 3)


def test_large_logits_do_not_overflow():
    cosines = torch.tensor([[[-1.0, 1.0]]], requires_grad=True)
    loss = ProxyAnchor(scale=1e4).of_scores(against(cosines, [0], 2))
    loss.backward()
    assert float(loss.detach()) == pytest.approx(1e4 * 1.1 * 1.5)
    assert bool(torch.isfinite(cosines.grad).all())


def test_proxies_are_laid_out_as_the_head_does_and_of_the_seed():
    loss = ProxyAnchor().build(LossShape(classes=7, groups=2, dim=5, seed=3))
    assert [name for name, _ in loss.named_parameters()] == ["proxy"]
    proxies = loss.proxies(torch.tensor([4, 4]))
    assert [tuple(level.vectors.shape) for level in proxies.embedding.levels] == [(7, 2, 5)]
    assert proxies.classes.tolist() == list(range(7))
    same, other = (
        ProxyAnchor().build(LossShape(classes=7, groups=2, dim=5, seed=s)) for s in (3, 4)
    )
    assert torch.equal(loss.proxy, same.proxy)
    assert not torch.equal(loss.proxy, other.proxy)


def test_a_graph_has_a_proxy_of_every_level_in_its_nodes():
    loss = ProxyAnchor().build(LossShape(classes=4, groups=6, dim=1, levels=3))
    levels = loss.proxies(torch.tensor([0])).embedding.levels
    assert [tuple(level.vectors.shape) for level in levels] == [(4, 6, 1)] * 3
    assert all(level.certainty is None for level in levels)
    assert not torch.equal(levels[0].vectors, levels[1].vectors)


@pytest.mark.parametrize(
    ("classes", "only", "entering"),
    [(1000, None, 1000), (1001, None, 2), (1001, False, 1001), (5, True, 2), (5, None, 5)],
)
def test_with_many_classes_only_those_of_the_batch_enter(classes, only, entering):
    loss = ProxyAnchor(batch_classes_only=only).build(LossShape(classes=classes, groups=1, dim=3))
    proxies = loss.proxies(torch.tensor([4, 1, 4]))
    assert len(proxies.embedding) == len(proxies.classes) == entering
    if entering == 2:
        assert proxies.classes.tolist() == [1, 4]
        assert torch.equal(proxies.embedding.levels[0].vectors, loss.proxy[[1, 4]])


def released_form(distances, positive, *, scale=16.0, pull_from=1.8, push_from=2.2):
    """The loss on distances, one proxy at a time (Zhang et al. 2022)."""
    pull, push = [], []
    for column in range(distances.shape[1]):
        own = distances[positive[:, column], column]
        other = distances[~positive[:, column], column]
        if len(own):
            pull.append(math.log1p(sum(math.exp(scale * (d - pull_from)) for d in own.tolist())))
        push.append(math.log1p(sum(math.exp(scale * (push_from - d)) for d in other.tolist())))
    return sum(pull) / len(pull) + sum(push) / len(push)


def test_the_form_on_distances_is_the_same_for_any_distance():
    generator = torch.Generator().manual_seed(0)
    # beyond 4, where no squared distance of unit vectors lies, but a graph's distance may
    distances = torch.rand(6, 4, generator=generator, dtype=torch.float64) * 6
    scores = against(1 - distances[None] / 2, [0, 0, 1, 2, 2, 2], 4)
    assert float(distances.max()) > 4
    expected = released_form(distances, scores.positive)
    assert float(ProxyAnchor().of_scores(scores)) == pytest.approx(expected, rel=1e-12)
