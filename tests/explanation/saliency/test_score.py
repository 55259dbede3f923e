import typing

import pytest
import torch

from lookalike.explanation.saliency import pair_scores
from lookalike.heads import Branched, HeadConfig, Levels
from lookalike.model import create_model
from lookalike.preprocessing import Preprocessing

HEADS = [
    kind(groups=2) if issubclass(kind, Branched) else kind()
    for kind in typing.get_args(typing.get_args(HeadConfig)[0])
]


@pytest.fixture
def pictures():
    generator = torch.Generator().manual_seed(0)
    return torch.randn(2, 3, 3, 32, 32, generator=generator)


def model_of(head, graph_of, *, seed=0):
    if isinstance(head, Levels):
        return graph_of(-3, -2, -1, seed=seed)
    torch.manual_seed(seed)
    return create_model("tiny", head=head, dim=12, preprocessing=Preprocessing(size=32)).eval()


@pytest.mark.parametrize("head", HEADS, ids=lambda head: head.kind)
def test_it_is_the_score_that_is_shown(head, pictures, graph_of):
    model = model_of(head, graph_of)
    a, b = pictures
    with torch.no_grad():
        shown = model.similarity.pairs(model(a), model(b))
    torch.testing.assert_close(pair_scores(model, a, b).detach(), shown, atol=1e-5, rtol=0)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("head", HEADS, ids=lambda head: head.kind)
def test_it_has_the_whole_history_of_the_pixels(head, side, pictures, graph_of):
    """The derivative along a direction equals the difference quotient.

    In a graph this needs the history of certainties too.
    """
    model = model_of(head, graph_of).double()
    pair = list(pictures.double())
    generator = torch.Generator().manual_seed(1)
    direction = torch.randn(pair[side].shape, generator=generator, dtype=torch.float64)

    def score(by):
        moved = pair[side] + by[:, None, None, None] * direction
        return pair_scores(model, *(moved if i == side else pair[i] for i in (0, 1)))

    by = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(score(by).sum(), [by])
    with torch.no_grad():
        quotient = (score(by + 1e-6) - score(by - 1e-6)) / 2e-6
    torch.testing.assert_close(slope, quotient, atol=1e-6, rtol=1e-4)
    assert slope.abs().min() > 1e-5


def test_certainties_carry_gradient_here_and_not_in_training(graph_of, pictures):
    model = graph_of(-2, -1)
    a, b = pictures
    x = a.clone().requires_grad_()
    (whole,) = torch.autograd.grad(pair_scores(model, x, b).sum(), [x])
    embeddings = model.train()(x), model(b)
    held = model.similarity.pairs(*embeddings, history=True)
    (without,) = torch.autograd.grad(held.sum(), [x])
    assert not torch.allclose(whole, without, atol=1e-6)


def test_the_mode_is_left_as_it_was(pictures, graph_of):
    model = graph_of(-2, -1)
    running = model.similarity.links.running.clone()
    model.train()
    pair_scores(model, *pictures)
    assert model.training
    assert all(module.training for module in model.modules())
    assert torch.equal(model.similarity.links.running, running)
