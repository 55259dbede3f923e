import itertools
import json

import numpy as np
import pytest
import torch
from torch import nn

from lookalike.backbones import Tiny
from lookalike.errors import UsageError
from lookalike.explanation.measures import Correlations, Study, measure_randomisation, randomised
from lookalike.explanation.saliency import METHODS, Saliency
from lookalike.heads import Attentive, Pooled
from lookalike.model import create_model
from lookalike.preprocessing import Preprocessing
from lookalike.statistics.correlation import pearson, spearman
from lookalike.types import FeatureMaps


@pytest.fixture
def model():
    torch.manual_seed(0)
    return create_model(
        "tiny", head=Attentive(groups=2), dim=8, preprocessing=Preprocessing(size=16)
    ).eval()


def ranks_by_counting(values):
    return [sum(v < w for v in values) + (sum(v == w for v in values) + 1) / 2 for w in values]


def test_spearman_shares_ranks_among_ties():
    random = torch.Generator().manual_seed(0)
    x, y = torch.randint(4, (2, 6, 3, 3), generator=random).float()  # few values: many ties
    for i, r in enumerate(spearman(x, y)):
        ranks = [ranks_by_counting(maps[i].flatten().tolist()) for maps in (x, y)]
        assert r == pytest.approx(np.corrcoef(*ranks)[0, 1])


def test_spearman_asks_for_order_alone():
    x = torch.tensor([[[1.0, 2.0], [3.0, 4.0]]])
    assert spearman(x, x.exp()) == pytest.approx([1])
    assert spearman(x, -x.exp()) == pytest.approx([-1])


def test_pearson_counts_the_cells_inside():
    random = torch.Generator().manual_seed(0)
    x, y = torch.randn(2, 5, 4, 4, generator=random)
    inside = torch.rand(5, 4, 4, generator=random) < 0.6
    for i, r in enumerate(pearson(x, y, inside)):
        assert r == pytest.approx(np.corrcoef(x[i][inside[i]], y[i][inside[i]])[0, 1])


def test_a_constant_map_has_no_correlation():
    x = torch.stack([torch.full((2, 2), 0.1), torch.arange(4.0).view(2, 2)])
    assert np.isnan(pearson(x, x)).tolist() == [True, False]
    assert np.isnan(spearman(x, x)).tolist() == [True, False]
    known = Correlations(spearman(x, x), [7, 8])
    assert (known.undefined, known.interval.mean) == (1, pytest.approx(1))
    nothing = Correlations(np.array([np.nan]), [7])
    assert nothing.as_dict() == {"correlation": None, "undefined": 1, "pairs": 1}


@torch.no_grad()
def test_weights_are_drawn_anew_at_their_scale(model):
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    copy = randomised(model, seed=1)
    assert all(torch.equal(weight, before[name]) for name, weight in model.state_dict().items())
    for name, weight in copy.named_parameters():
        trained = before[name]
        if trained.std(correction=0) == 0:  # norms and biases that were never trained
            assert torch.equal(weight, trained)
            continue
        assert abs(np.corrcoef(weight.flatten(), trained.flatten())[0, 1]) < 0.4
        error = trained.std() / trained.numel() ** 0.5
        assert float(weight.mean()) == pytest.approx(float(trained.mean()), abs=4 * float(error))
        assert float(weight.std()) == pytest.approx(float(trained.std()), rel=0.4)


def test_the_seed_decides_and_the_head_alone_can_be_drawn(model):
    one, same, other = (randomised(model, seed=seed).state_dict() for seed in (1, 1, 2))
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert not torch.equal(one["head.queries"], other["head.queries"])
    head = randomised(model, weights="head").state_dict()
    changed = {name for name, weight in model.state_dict().items() if (weight != head[name]).any()}
    assert changed == {"head.queries", "head.key.weight", "head.value.weight"}


def test_a_head_without_weights_cannot_be_drawn():
    with pytest.raises(UsageError, match="pooled head has no weights"):
        randomised(create_model("tiny", head=Pooled()), weights="head")


class Deep(nn.Module):
    """Twenty convolutions with batch norm, whose statistics are those of much smaller numbers."""

    channels, strides, names = (8,), (1,), ("deep",)

    def __init__(self):
        super().__init__()
        widths = [3] + [8] * 20
        self.layers = nn.Sequential(
            *(
                nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b, momentum=0.3))
                for a, b in itertools.pairwise(widths)
            )
        )
        for _, norm in self.layers:
            norm.running_var.fill_(0.01)

    def forward(self, images):
        return FeatureMaps((self.layers(images),), self.strides)


@torch.no_grad()
def test_activations_neither_vanish_nor_explode():
    torch.manual_seed(0)
    model = create_model(Tiny(channels=(8,)), preprocessing=Preprocessing(size=16))
    model.backbone = Deep()
    images = torch.randn(32, 3, 16, 16)
    copy = randomised(model, images)
    assert model.eval().features(images).stages[0].std() > 100
    assert copy.features(images).stages[0].std() == pytest.approx(1, abs=0.05)
    norms = [module for module in copy.modules() if isinstance(module, nn.BatchNorm2d)]
    assert not any(module.training for module in copy.modules())
    assert {norm.momentum for norm in norms} == {0.3}
    first, norm = copy.backbone.layers[0]
    assert torch.allclose(norm.running_var, first(images).var(dim=(0, 2, 3)), rtol=1e-4)


@torch.no_grad()
def test_the_backbone_is_as_it_was_where_the_head_alone_is_drawn():
    model = create_model(Tiny(channels=(8,)), preprocessing=Preprocessing(size=16)).eval()
    model.backbone = Deep().eval()
    images = torch.randn(4, 3, 16, 16)
    copy = randomised(model, images, weights="head")
    assert torch.equal(copy.features(images).stages[0], model.features(images).stages[0])


def test_links_of_a_graph_are_measured_again(graph_of):
    model = graph_of(-2, -1)
    images = torch.randn(6, 3, 32, 32)
    copy = randomised(model, images, seed=3)
    links = copy.train()(images).levels[1].links
    assert torch.allclose(copy.similarity.links.running[0], links, atol=1e-6)
    assert not torch.allclose(model.similarity.links.running[0], links, atol=1e-2)


class Darkness:
    """A method that looks at the pictures alone."""

    name = label = "darkness"
    grid, has_weights = "pixels", True

    def __call__(self, model, a, b):
        return Saliency(*(nn.functional.avg_pool2d(-x.mean(dim=1), 5) for x in (a, b)))


def test_a_method_that_ignores_the_model_is_found_out(model, album):
    model.preprocessing = model.preprocessing.model_copy(update={"size": 40, "fit": "stretch"})
    blind, exact = measure_randomisation(
        Study.of(model, album, [Darkness(), METHODS["exact"]], count=4)
    )
    assert blind.correlations.values == pytest.approx([1] * 4)
    assert blind.correlations.interval.low == pytest.approx(1)
    assert (exact.correlations.values < 0.99).all()
    told = json.loads(json.dumps(exact.as_dict()))
    assert (told["method"], told["part"], told["pairs"]) == ("exact", "all", 4)
    assert told["correlation"] == exact.correlations.interval.as_dict()


def test_maps_of_random_weights_have_little_in_common_on_noise(model):
    """On pictures with no object, what is left of the correlation is chance."""
    random = torch.Generator().manual_seed(0)
    a, b = torch.randn(2, 60, 3, 64, 64, generator=random)
    other = randomised(model, a, seed=5)
    trained, drawn = (METHODS["exact"](each, a, b) for each in (model, other))
    assert abs(spearman(trained.a, drawn.a).mean()) < 0.3
    assert spearman(trained.a, trained.a) == pytest.approx([1] * 60)
