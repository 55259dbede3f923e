"""Any attribution of captum explains a pair, of any network and of a model."""

import json

import captum.attr
import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import cosine_similarity

from lookalike import create_model
from lookalike.data import read_for, to_inputs
from lookalike.errors import UsageError
from lookalike.explanation import Attribution, explain
from lookalike.explanation.approximate.captum_methods import CAPTUM_METHODS
from lookalike.explanation.saliency import METHODS, Saliency
from lookalike.heads import Attentive, Ensemble, Single
from lookalike.preprocessing import Preprocessing

SMALL = Preprocessing(size=16, fit="stretch")
QUICK = {"preprocessing": SMALL, "steps": 4, "cells": 2}


class Convolutions(nn.Module):
    """Two convolutions with an activation, and the mean over positions."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 4, 3, stride=2)
        self.relu = nn.ReLU()
        self.last = nn.Conv2d(4, 5, 3)

    def forward(self, pixels):
        return torch.tanh(self.last(self.relu(self.first(pixels)))).mean(dim=(2, 3))


@pytest.fixture
def net():
    torch.manual_seed(0)
    return Convolutions().eval()


@pytest.fixture
def pair(noise):
    return noise(0), noise(1)


@pytest.fixture
def pixels(pair):
    return to_inputs([read_for(picture, SMALL) for picture in pair], SMALL)


@pytest.mark.parametrize("name", CAPTUM_METHODS)
def test_every_method_explains_any_network(name, net, pair):
    why = explain(net, *pair, method=name, **QUICK)
    assert isinstance(why, Attribution)
    assert why.method == name
    for maps in why.maps:
        assert np.isfinite(maps).all()
        assert maps.std() > 0
    assert (why.gap is None) == (not CAPTUM_METHODS[name].complete)
    assert CAPTUM_METHODS[name].label in str(why)
    assert json.loads(why.to_json())["method"] == name
    assert all(parameter.grad is None for parameter in net.parameters())


@pytest.mark.parametrize("name", CAPTUM_METHODS)
def test_every_method_explains_a_model(name, pair, graph_of):
    model = graph_of(-2, -1)
    why = explain(model, *pair, method=name, steps=2, cells=2)
    a, b = model.embed(pair)[:1], model.embed(pair)[1:]
    assert why.score == pytest.approx(float(model.similarity.pairs(a, b)), abs=1e-5)
    assert why.maps[0].std() > 0


@pytest.mark.parametrize("name", METHODS)
def test_a_model_is_explained_by_every_method_of_this_library(name, pair, plain):
    why = explain(plain, *pair, method=name, steps=2)
    assert why.method == name
    assert why.maps[0].std() > 0


def test_names_of_both_registries_mean_the_same(pair, plain):
    p = plain.preprocessing
    inputs = to_inputs([read_for(picture, p) for picture in pair], p)
    own = METHODS["integrated_gradients"](plain, inputs[:1], inputs[1:])
    grid = own.a.shape[1]
    why = explain(plain, *pair, method="integrated_gradients", steps=32, cells=grid)
    np.testing.assert_allclose(why.maps[0], own.a[0], atol=1e-5 * float(own.a.abs().max()))


def test_a_gradient_is_that_of_the_cosine(net, pair, pixels):
    why = explain(net, *pair, method="input_x_gradient", **QUICK)
    x = pixels[:1].requires_grad_()
    (gradient,) = torch.autograd.grad(cosine_similarity(net(x), net(pixels[1:])), [x])
    expected = (x * gradient)[0].detach().sum(0).unflatten(0, (2, 8)).unflatten(2, (2, 8))
    np.testing.assert_allclose(why.maps[0], expected.sum((1, 3)), atol=1e-6)


@torch.no_grad()
def test_occlusion_is_what_the_score_loses(net, pair, pixels):
    why = explain(net, *pair, method="occlusion", **QUICK)
    whole = cosine_similarity(net(pixels[:1]), net(pixels[1:]))
    for row in range(2):
        for column in range(2):
            hidden = pixels[:1].clone()
            hidden[:, :, 8 * row : 8 * row + 8, 8 * column : 8 * column + 8] = 0
            lost = whole - cosine_similarity(net(hidden), net(pixels[1:]))
            assert why.maps[0][row, column] == pytest.approx(float(lost), abs=1e-6)


def test_shapley_values_add_up(net, pair):
    torch.manual_seed(0)
    why = explain(net, *pair, method="shapley_values", preprocessing=SMALL, cells=3)
    assert why.maps[0].shape == (3, 3)
    assert why.gap < 1e-5  # 16 pixels do not divide into 3 cells
    assert abs(why.score - why.at_baseline[0]) > 1e-3


def test_a_layer_is_found_or_named(net, pair):
    last = explain(net, *pair, method="grad_cam", preprocessing=SMALL)
    assert last.maps[0].shape == (5, 5)
    named = explain(net, *pair, method="grad_cam", layer="last", preprocessing=SMALL)
    np.testing.assert_array_equal(named.maps[0], last.maps[0])
    first = explain(net, *pair, method="grad_cam", layer=net.first, preprocessing=SMALL)
    assert first.maps[0].shape == (7, 7)


@pytest.mark.parametrize("head", [Single(stage=1), Attentive(groups=2), Ensemble(groups=2)])
def test_grad_cam_of_a_model_is_of_the_map_that_its_head_reads(head, pair):
    torch.manual_seed(0)
    model = create_model("tiny", head=head, dim=8, preprocessing=SMALL).eval()
    why = explain(model, *pair, method="grad_cam")
    inputs = to_inputs([read_for(picture, SMALL) for picture in pair], SMALL)
    expected = METHODS["grad_cam"](model, inputs[:1], inputs[1:])
    np.testing.assert_allclose(why.maps[0], expected.a[0], atol=1e-6)


def test_a_class_of_captum_and_functions_of_one_s_own(net, pair, plain):
    by_name = explain(net, *pair, method="deep_lift", **QUICK)
    by_class = explain(net, *pair, method=captum.attr.DeepLift, **QUICK)
    np.testing.assert_array_equal(by_name.maps, by_class.maps)
    shap = explain(net, *pair, method=captum.attr.ShapleyValues, preprocessing=SMALL, cells=2)
    assert (shap.method, shap.gap) == ("ShapleyValues", None)

    def squared(score, pixels, rows):
        return pixels * score(pixels, rows)[:, None, None, None]

    why = explain(net, *pair, method=squared, **QUICK)
    assert (why.method, why.label) == ("squared", "squared")
    assert why.maps[0].shape == (2, 2)

    class Half:
        name, label, grid, has_weights = "half", "a half", "pixels", False

        def __call__(self, model, a, b):
            return Saliency.of(torch.full((1, 2, 2), 0.5), torch.zeros(1, 2, 2))

    why = explain(plain, *pair, method=Half())
    assert (why.label, why.maps[0].tolist()) == ("a half", [[0.5, 0.5], [0.5, 0.5]])
    with pytest.raises(UsageError, match="half explains models of this library"):
        explain(net, *pair, method=Half(), preprocessing=SMALL)


class Flat(nn.Module):
    """A network without maps."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3 * 16 * 16, 4)

    def forward(self, pixels):
        return self.layer(pixels.flatten(1))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "lime"}, "there is no method 'lime'; there are integrated_gradients, .*captum"),
        ({"method": "grad_cam"}, "no layer of Flat gives a map"),
        ({"method": "grad_cam", "layer": "layer"}, r"gave .* name a layer= whose output is a map"),
        ({"method": "grad_cam", "layer": "neck"}, "Flat has no layer 'neck'"),
        ({"method": "saliency", "layer": "layer"}, "explains pixels and no layer"),
        ({"method": lambda score, pixels, rows: score(pixels[:, :1], rows)}, "does not fit this"),
        ({"method": lambda score, pixels, rows: 3}, "gave int"),
    ],
)
def test_a_method_that_does_not_fit_is_refused(options, words, pair):
    with pytest.raises(UsageError, match=words):
        explain(Flat(), *pair, preprocessing=SMALL, **options)


def test_without_a_gap_nothing_is_said_of_one(net, pair, tmp_path):
    why = explain(net, *pair, method="occlusion", **QUICK)
    assert why.gaps is None
    assert "gap" not in str(why)
    assert "occlusion, against the mean colour" in str(why)
    assert "Completeness gap" not in why.to_html()
    assert "do not add up to the score" in why.to_html()
    why.save(tmp_path / "why.png")
