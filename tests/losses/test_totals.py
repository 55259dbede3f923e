"""Every loss is the weighted sum of what it is on each matrix alone."""

from dataclasses import replace

import pytest
import torch

from lookalike.losses import BinomialDeviance, Contrastive, Margin, ProxyAnchor

LABELS = [0, 0, 1, 1, 2, 2]
WEIGHTS = (0.5, 1.0, 4.0)


@pytest.mark.parametrize(
    "config",
    [Contrastive(), Contrastive(squared=True), BinomialDeviance(), ProxyAnchor()],
    ids=repr,
)
def test_the_weights_are_those_of_the_matrices(config, scores_of, random_vectors):
    scores = scores_of(random_vectors(6, 3, 4), LABELS)
    loss = config.build(classes=3, groups=3, dim=4)
    alone = [float(loss(replace(scores, cosines=one[None])).value) for one in scores.cosines]
    expected = sum(w * value for w, value in zip(WEIGHTS, alone, strict=True))
    actual = loss(replace(scores, weights=WEIGHTS)).value
    assert float(actual) == pytest.approx(expected)
    assert float(loss(scores).value) == pytest.approx(sum(alone) / 3)


@pytest.mark.parametrize("config", [Margin(), Contrastive(pairs="triplets")], ids=repr)
def test_sampled_triplets_are_weighed_too(config, scores_of, random_vectors):
    scores = scores_of(random_vectors(6, 3, 4), LABELS)
    loss = config.build(classes=3, groups=3, dim=4)

    def value(weights):
        generator = torch.Generator().manual_seed(0)
        return float(loss(replace(scores, weights=weights), generator=generator).value.detach())

    alone = [value(tuple(row)) for row in torch.eye(3).tolist()]
    assert len({round(one, 6) for one in alone}) == 3
    expected = sum(w * one for w, one in zip(WEIGHTS, alone, strict=True))
    assert value(WEIGHTS) == pytest.approx(expected)
    assert value(None) == pytest.approx(sum(alone) / 3)


def test_a_margin_has_a_boundary_for_each_matrix():
    loss = Margin().build(classes=5, groups=64, dim=1, levels=2, matrices=3)
    assert loss.boundary.shape == (3, 5)
