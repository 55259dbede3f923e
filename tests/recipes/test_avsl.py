"""The recipes of AVSL say what the paper says (METHODS 3.6 and 3.7)."""

import pytest
import torch

from lookalike import checkpoint, recipes
from lookalike.backbones import Tiny
from lookalike.config import merge, parse
from lookalike.data import PKBatchSampler
from lookalike.errors import UsageError
from lookalike.recipes import Recipe

EVERY = [(loss, data) for loss in ("margin", "proxy_anchor") for data in ("cub", "cars", "sop")]


def test_the_graph_reads_the_last_three_stages_of_resnet50():
    model = recipes.avsl().model.build(pretrained=False)
    assert all(recipes.avsl(loss, data=data).model == recipes.avsl().model for loss, data in EVERY)
    assert (model.head.levels, model.head.groups, model.head.dim) == (3, 512, 1)
    assert [projection.in_features for projection in model.head.projections] == [512, 1024, 2048]
    assert model.similarity.matrices == 4
    assert (model.preprocessing.resize, model.preprocessing.size) == (256, 224)
    held = [m for m in model.backbone.train().modules() if type(m).__name__.startswith("BatchNorm")]
    assert held
    assert not any(module.training for module in held)


@pytest.mark.parametrize(
    ("data", "weights"), [("cub", (0.5, 1, 0.5)), ("cars", (1, 4, 4)), ("sop", (1, 4, 4))]
)
def test_each_level_has_its_published_weight(data, weights):
    recipe = recipes.avsl(data=data)
    model = small("proxy_anchor").model.build(pretrained=False)
    objective = recipe.objective.build(
        model.similarity,
        classes=7,
        groups=model.head.groups,
        dim=model.head.dim,
        levels=model.head.levels,
    )
    assert objective.weights == (*weights, 1)
    assert objective.loss.proxy.shape == (7, 3 * 10, 1)


def test_losses_have_the_numbers_of_the_paper():
    anchor, margin = (recipes.avsl(loss).objective.loss for loss in ("proxy_anchor", "margin"))
    # 16 (d − 1.8) = 32 (0.1 − s) and 16 (2.2 − d) = 32 (0.1 + s) with s = 1 − d / 2
    assert (anchor.scale / 2, 2 - 2 * anchor.margin, 2 + 2 * anchor.margin) == (16, 1.8, 2.2)
    assert (margin.margin, margin.boundary) == (0.2, 1.2)


@pytest.mark.parametrize(("loss", "data"), EVERY)
def test_training_is_the_papers(loss, data):
    recipe = recipes.avsl(loss, data=data)
    assert recipe.name == f"avsl-{loss}-{data}"
    train, rates = recipe.train, recipe.train.optimizer
    assert train.classes_per_batch * train.images_per_class == 180
    assert (rates.kind, rates.weight_decay) == ("adamw", 1e-4)
    assert (rates.lr, rates.head_lr) == (1e-5, 5.5e-4)
    assert rates.similarity_lr == rates.loss_lr == 1.1e-4
    assert train.frozen_backbone_epochs == 5
    gaps = torch.tensor([0, *train.schedule.milestones]).diff().tolist()
    assert train.schedule.gamma == 0.5
    assert all(5 <= gap <= 10 for gap in gaps)
    assert (recipe.augmentation.crop, recipe.augmentation.flip) == ("random", 0.5)


def test_batches_fit_the_classes_that_validation_leaves():
    """CUB trains on 100 classes, Cars on 98; a tenth of them is held out."""
    for data, classes in (("cub", 90), ("cars", 88)):
        train = recipes.avsl(data=data).train
        sampler = PKBatchSampler(
            torch.arange(classes).repeat_interleave(58).numpy(),
            classes_per_batch=train.classes_per_batch,
            images_per_class=train.images_per_class,
            seed=0,
        )
        assert {len(batch) for batch in sampler} == {180}
        # an epoch is a look at every picture, as the schedule counts epochs
        assert len(sampler) == pytest.approx(classes * 58 / 180, abs=2)


def test_names_are_found():
    assert recipes.named("avsl-margin-sop") == recipes.avsl("margin", data="sop")
    assert any(family.pattern.startswith("avsl-") for family in recipes.FAMILIES)
    with pytest.raises(UsageError, match="did you mean avsl-proxy_anchor-cub"):
        recipes.named("avsl-proxyanchor-cub")


def small(loss: str) -> Recipe:
    """Shrink a published recipe to a network and pictures of a test's size."""
    changes = {
        "model": {
            "backbone": Tiny(channels=(4, 6, 8)).model_dump(mode="json"),
            "head": {"stages": [0, 1, 2]},
            "similarity": {"k": 3},
            "dim": 10,
            "preprocessing": {"size": 24, "resize": 28},
        },
        "train": {
            "epochs": 2,
            "frozen_backbone_epochs": 1,
            "classes_per_batch": 3,
            "images_per_class": 2,
            "accumulate": 2,
            "validation_share": 0.3,
            "workers": 0,
        },
        "evaluation": {"clustering": False, "workers": 0},
    }
    plain = merge(recipes.avsl(loss).model_dump(mode="json"), changes)
    return parse(Recipe, plain)


@pytest.mark.parametrize("loss", ["margin", "proxy_anchor"])
def test_a_whole_run_keeps_the_graph_it_learnt(noise, tmp_path, loss):
    run = recipes.train(small(loss), noise, tmp_path / "run")
    assert run.report is not None
    assert (run.fit.epochs, run.fit.best is None) == (2, False)
    graph = run.model.similarity
    assert bool((graph.alpha != 1).any())
    assert bool(graph.links.seen)
    pictures = [str(noise.root / f"c{label}" / "0.png") for label in range(3)]
    again = checkpoint.load(tmp_path / "run")
    e = run.model.embed(pictures)
    assert torch.equal(again.similarity.matrix(e, e), graph.matrix(e, e))
