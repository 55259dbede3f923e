"""Every loss gives each matrix the value that it has alone."""

import typing
from dataclasses import replace

import pytest
import torch

from lookalike.losses import BinomialDeviance, Contrastive, LossConfig, Margin, ProxyAnchor
from lookalike.protocols import LossShape

LABELS = [0, 0, 1, 1, 2, 2]
ALONE = [Contrastive(), Contrastive(squared=True), BinomialDeviance(), ProxyAnchor()]
SAMPLED = [Margin(), Contrastive(pairs="triplets")]


def test_every_loss_is_here():
    union = typing.get_args(typing.get_args(LossConfig)[0])
    assert {type(config) for config in (*ALONE, *SAMPLED)} == set(union)


@pytest.mark.parametrize("config", ALONE, ids=repr)
def test_a_matrix_has_the_value_that_it_has_alone(config, scores_of, random_vectors):
    scores = scores_of(random_vectors(6, 3, 4), LABELS)
    loss = config.build(LossShape(classes=3, groups=3, dim=4))
    alone = [loss(replace(scores, cosines=one[None])).per_matrix for one in scores.cosines]
    torch.testing.assert_close(loss(scores).per_matrix, torch.cat(alone))


@pytest.mark.parametrize("config", SAMPLED, ids=repr)
def test_a_matrix_moves_only_its_own_value(config, scores_of, random_vectors):
    """With the same draw: a matrix whose pairs are all at no distance changes its own value."""
    scores = scores_of(random_vectors(6, 3, 4), LABELS)
    loss = config.build(LossShape(classes=3, groups=3, dim=4))

    def values(cosines):
        generator = torch.Generator().manual_seed(0)
        return loss(replace(scores, cosines=cosines), generator=generator).per_matrix.detach()

    before = values(scores.cosines)
    changed = scores.cosines.clone()
    changed[1] = 1.0
    after = values(changed)
    assert before.shape == (3,)
    torch.testing.assert_close(after[[0, 2]], before[[0, 2]])
    assert not torch.allclose(after[1], before[1])


def test_a_margin_has_a_boundary_for_each_matrix():
    loss = Margin().build(LossShape(classes=5, groups=64, dim=1, levels=2, matrices=3))
    assert loss.boundary.shape == (3, 5)
