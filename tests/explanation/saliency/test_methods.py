import typing

import numpy as np
import pytest
import torch
from torch import nn

from lookalike.explanation import explain
from lookalike.explanation.saliency import (
    METHODS,
    Exact,
    GradCam,
    InputGradient,
    IntegratedGradients,
    Method,
    Random,
    SecondOrder,
    Shared,
    baseline_of,
    pair_scores,
    to_grid,
)
from lookalike.heads import Branched, HeadConfig, Levels, Pooled, Single
from lookalike.model import create_model
from lookalike.preprocessing import Preprocessing
from lookalike.types import FeatureMaps

HEADS = [
    kind(groups=2) if issubclass(kind, Branched) else kind()
    for kind in typing.get_args(typing.get_args(HeadConfig)[0])
]
SIZE, PATCH = 32, 8
QUICK = {**METHODS, "integrated_gradients": IntegratedGradients(steps=2)}


@pytest.fixture(params=HEADS, ids=lambda head: head.kind)
def model(request, graph_of):
    if isinstance(request.param, Levels):
        return graph_of(-3, -2, -1)
    torch.manual_seed(0)
    p = Preprocessing(size=SIZE)
    return create_model("tiny", head=request.param, dim=12, preprocessing=p).eval()


@pytest.fixture
def pictures():
    return torch.randn(2, 3, 3, SIZE, SIZE, generator=torch.Generator().manual_seed(0))


class Patches(nn.Module):
    """A linear backbone: each patch times a matrix, without bias; its map is 4 × 4."""

    channels, strides, names = (5,), (PATCH,), ("patches",)

    def __init__(self):
        super().__init__()
        self.net = nn.Conv2d(3, 5, PATCH, PATCH, bias=False)

    def forward(self, images):
        return FeatureMaps((self.net(images),), self.strides)


@pytest.fixture
def linear():
    torch.manual_seed(0)
    model = create_model("tiny", head=Pooled(), preprocessing=Preprocessing(size=SIZE))
    model.backbone = Patches()
    model.head = Pooled().build((5,), 5)
    return model.eval()


@pytest.mark.parametrize("name", METHODS)
def test_every_method_explains_every_head(model, pictures, name):
    method = QUICK[name]
    assert isinstance(METHODS[name], Method)
    assert METHODS[name].name == name
    over = method(model, *pictures)
    for maps in (over.a, over.b):
        assert len(maps) == 3
        assert maps.dtype == torch.float32
        assert maps.isfinite().all()
        assert not maps.requires_grad
        assert (maps.flatten(1).std(dim=1) > 0).all()


@pytest.mark.parametrize("name", METHODS)
def test_a_pair_s_map_does_not_depend_on_its_batch(model, pictures, name):
    a, b = pictures
    whole = QUICK[name](model, a, b)
    alone = QUICK[name](model, a[1:2], b[1:2])
    for together, single in ((whole.a, alone.a), (whole.b, alone.b)):
        scale = float(together[1].abs().max())
        np.testing.assert_allclose(together[1], single[0], atol=1e-4 * scale)


@pytest.mark.parametrize("name", METHODS)
def test_a_model_is_left_as_it_was(model, pictures, name):
    model.train()
    frozen = next(model.backbone.parameters()).requires_grad_(False)
    a, b = pictures
    before = a.clone()
    state = {key: value.clone() for key, value in model.state_dict().items()}
    with torch.no_grad():
        QUICK[name](model, a, b)
    assert model.training
    assert not frozen.requires_grad
    assert torch.equal(a, before)
    assert not a.requires_grad
    assert all(parameter.grad is None for parameter in model.parameters())
    for key, value in model.state_dict().items():
        assert torch.equal(value, state[key])


@pytest.mark.parametrize("name", METHODS)
def test_a_model_in_training_is_explained_as_it_is_used(linear, pictures, name):
    linear.backbone.net = nn.Sequential(linear.backbone.net, nn.Dropout(0.5))
    used = QUICK[name](linear.eval(), *pictures)
    assert torch.equal(QUICK[name](linear.train(), *pictures).a, used.a)


def test_the_exact_maps_are_those_of_the_account_and_sum_to_the_score(model):
    noise = np.random.default_rng(0).integers(0, 256, (2, SIZE, SIZE, 3), dtype=np.uint8)
    why = explain(model, *noise)
    a, b = (model._inputs([picture]) for picture in noise)
    over = Exact()(model, a, b)
    np.testing.assert_allclose(over.a[0], why.maps[0].sum(axis=0), atol=1e-6)
    np.testing.assert_allclose(over.b[0], why.maps[1].sum(axis=0), atol=1e-6)
    sums = float(over.a.sum()), float(over.b.sum())
    if why.together:
        assert sum(sums) == pytest.approx(why.score, abs=1e-5)
    else:
        assert sums == pytest.approx((why.score, why.score), abs=1e-5)


def test_grad_cam_of_pooled_features_by_hand(linear, pictures):
    """With v the mean of z and e = v/‖v‖: α = (e' − s e) / (‖v‖ HW), the same at all positions."""
    a, b = pictures
    over = GradCam()(linear, a, b)
    z, other = (linear.backbone(images).stages[0].detach().double() for images in (a, b))
    v, w = z.mean((2, 3)), other.mean((2, 3))
    length = v.norm(dim=1, keepdim=True)
    e, f = v / length, w / w.norm(dim=1, keepdim=True)
    s = (e * f).sum(1, keepdim=True)
    alpha = (f - s * e) / (length * 16)
    np.testing.assert_allclose(over.a, (alpha[:, :, None, None] * z).sum(1), atol=1e-6)


def test_grad_cam_reads_the_map_that_the_head_reads():
    torch.manual_seed(0)
    a, b = torch.randn(2, 1, 3, SIZE, SIZE)
    for stage, side in ((0, 16), (1, 8), (-1, 4)):
        model = create_model("tiny", head=Single(stage=stage), dim=6)
        assert GradCam()(model, a, b).a.shape == (1, side, side)


def test_grad_cam_of_a_graph_is_of_its_highest_stage(graph_of, pictures):
    over = GradCam()(graph_of(0, 1), *pictures)
    assert over.a.shape == (3, 8, 8)
    assert Exact()(graph_of(0, 1), *pictures).a.shape == (3, 16, 16)


def test_grad_cam_weighs_channels_by_their_mean_gradient(graph_of, pictures):
    """α is what the score gains, per position, when a constant is added to a channel."""
    model = graph_of(1, 2).double()
    a, b = pictures.double()
    over = GradCam()(model, a, b)
    low, mid, high = model.backbone(a).stages
    step = 1e-6
    alpha = []
    for channel in range(high.shape[1]):
        scores = []
        for sign in (1, -1):
            moved = high.detach().clone()
            moved[:, channel] += sign * step
            maps = FeatureMaps((low, mid, moved), model.backbone.strides)
            scores.append(model.similarity.pairs(model.head(maps), model(b)))
        alpha.append((scores[0] - scores[1]) / (2 * step) / 16)
    expected = torch.einsum("nchw,cn->nhw", high, torch.stack(alpha)).detach()
    np.testing.assert_allclose(over.a, expected, atol=1e-4 * float(expected.abs().max()))


def test_the_input_gradient_by_differences(linear, pictures):
    model = linear.double()
    a, b = pictures[:, :1].double()
    over = InputGradient()(model, a, b)
    row, column = 1, 2
    cell = np.s_[:, :, row * PATCH : (row + 1) * PATCH, column * PATCH : (column + 1) * PATCH]
    # Growing a cell's pixels by their own share is the direction that input × gradient asks of.
    scores = []
    for factor in (1 + 1e-6, 1 - 1e-6):
        moved = a.clone()
        moved[cell] *= factor
        scores.append(float(pair_scores(model, moved, b).detach()))
    expected = (scores[0] - scores[1]) / 2e-6
    assert float(over.a[0, row, column]) == pytest.approx(expected, rel=1e-4)
    # The cosine does not change when a whole picture is scaled.
    assert float(over.a.sum()) == pytest.approx(0, abs=1e-6)


def test_the_second_order_of_a_linear_network_is_the_exact_map(linear, pictures):
    second, exact = SecondOrder()(linear, *pictures), Exact()(linear, *pictures)
    np.testing.assert_allclose(second.a, exact.a, atol=1e-6)
    np.testing.assert_allclose(second.b, exact.b, atol=1e-6)


@pytest.mark.parametrize("head", [Single(), Levels(stages=(-1,))], ids=lambda head: head.kind)
def test_the_second_order_is_the_sum_of_products_of_jacobians(head, pictures):
    """`x ⊙ Jᵀ J' x'` with Jacobians made row by row, on a network that is not linear.

    Minus the squared distance of a graph's only level is twice the cosine, less 2.
    """
    torch.manual_seed(0)
    model = create_model("tiny", head=head, dim=4).eval().double()
    a, b = (images[:1, :, ::2, ::2].double() for images in pictures)

    def vectors(images):
        z = model.features(images).stages[-1]
        if isinstance(head, Single):
            return model.head.linear(z.mean((2, 3)))[0]
        return model.head.projections[0](z.mean((2, 3)) + z.amax((2, 3)))[0]

    j, k = (torch.autograd.functional.jacobian(vectors, images) for images in (a, b))
    factor = 1 if isinstance(head, Single) else 2
    heard = factor * (k * b).sum((1, 2, 3, 4)) / (vectors(a).norm() * vectors(b).norm())
    expected = (a * torch.einsum("d,dnchw->nchw", heard, j)).sum(1)
    over = SecondOrder()(model, a, b)
    np.testing.assert_allclose(over.a, to_grid(expected, (2, 2)).detach(), atol=1e-6)


def test_the_second_order_goes_through_attention(pictures):
    model = create_model("vit_tiny_patch16_224", head=Pooled(), pretrained=False)
    over = SecondOrder()(model, *(images[:1] for images in pictures))
    assert over.a.shape == (1, 2, 2)
    assert over.a.abs().max() > 0


def test_random_maps_follow_from_seed_and_pair_alone(linear, pictures):
    a, b = pictures
    once, again, other = Random()(linear, a, b), Random()(linear, a, b), Random(1)(linear, a, b)
    assert torch.equal(once.a, again.a)
    assert not torch.equal(once.a, other.a)
    assert not torch.equal(once.a, once.b)
    assert not torch.equal(once.a[0], once.a[1])
    swapped = Random()(linear, b, a)
    assert not torch.equal(swapped.a, once.a)
    many = Random()(linear, *torch.randn(2, 200, 3, SIZE, SIZE))
    assert many.a.mean() == pytest.approx(0, abs=0.06)
    assert many.a.std() == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("baseline", ["mean", "blur"])
def test_integrated_gradients_by_the_midpoint_rule(linear, pictures, baseline):
    """`(x − x₀) · mean over the middles of n steps of ∂s`, added up in cells, written out."""
    model = linear.double()
    a, b = pictures.double()
    steps = 5
    over = IntegratedGradients(steps=steps, baseline=baseline, batch_size=4)(model, a, b)
    for maps, x, y in ((over.a, a, b), (over.b, b, a)):
        start = baseline_of(x, baseline)
        total = torch.zeros_like(x)
        for step in range(steps):
            point = (start + (step + 0.5) / steps * (x - start)).requires_grad_()
            (gradient,) = torch.autograd.grad(pair_scores(model, point, y).sum(), [point])
            total += gradient / steps
        expected = to_grid(((x - start) * total).sum(1), (4, 4))
        np.testing.assert_allclose(maps, expected, atol=1e-6 * float(expected.abs().max()))


def test_integrated_gradients_add_up_to_the_change_of_the_score(graph_of, pictures):
    """Of a graph, whose certainties have to be differentiated too."""
    model = graph_of(-3, -2, -1)
    a, b = pictures
    maps = IntegratedGradients(steps=64, baseline="blur", batch_size=64)(model, a, b)
    for over, ends in (
        (maps.a, (a, b, baseline_of(a, "blur"), b)),
        (maps.b, (a, b, a, baseline_of(b, "blur"))),
    ):
        score, start = pair_scores(model, *ends[:2]), pair_scores(model, *ends[2:])
        change = (score - start).detach()
        assert change.abs().max() > 1e-3
        gap = over.sum((1, 2)) - change
        assert gap.abs().max() < 0.05 * change.abs().max()


def test_shared_is_exact_where_the_score_is_a_product(linear, pictures):
    exact, shared = Exact()(linear, *pictures), Shared()(linear, *pictures)
    assert torch.equal(exact.a, shared.a)
    assert torch.equal(exact.b, shared.b)


def test_shared_is_what_a_distance_has_of_both_pictures(graph_of, pictures):
    model = graph_of(-3, -2, -1)
    over = Shared()(model, *pictures)
    with torch.no_grad():
        left, right = (model(images) for images in pictures)
        sensitivity = model.similarity.sensitivity(left, right)
        alone = both = torch.zeros(3)
        for weight, x, y in zip(sensitivity, left.levels, right.levels, strict=True):
            x, y = x.vectors[..., 0], y.vectors[..., 0]
            both = both + (2 * weight * x * y).sum(1)
            alone = alone + (weight * (x * x + y * y)).sum(1)
        scores = model.similarity.pairs(left, right)
    for maps in (over.a, over.b):
        assert torch.allclose(maps.sum((1, 2)), both, atol=1e-5)
    assert torch.allclose(both - alone, scores, atol=1e-5)
