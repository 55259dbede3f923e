"""The published recipes say what the paper says (METHODS 1)."""

import pytest

from lookalike import recipes
from lookalike.comparison import with_value
from lookalike.heads import Attentive, Channel, Gated, LinearGroups, Single


@pytest.mark.parametrize(
    ("method", "kind"),
    [("n", Single), ("m", LinearGroups), ("g", Gated), ("c", Channel), ("a", Attentive)],
)
def test_groupings_differ_in_the_head_alone(method, kind):
    recipe, other = recipes.grouping(method), recipes.grouping("a")
    assert isinstance(recipe.model.head, kind)
    assert recipe.model_copy(update={"model": other.model, "name": other.name}) == other


def test_the_comparison_has_four_groups_of_128_numbers():
    recipe = recipes.grouping("a", loss="binomial", backbone="inception_v1", data="sop")
    assert (recipe.model.head.groups, recipe.model.dim) == (4, 512)
    assert recipe.objective.loss.kind == "binomial"
    diversity = recipe.objective.diversity
    assert (diversity.weight, diversity.normalisation) == (0.01, "released")
    optimizer = recipe.train.optimizer
    assert (optimizer.kind, optimizer.lr, optimizer.weight_decay) == ("adam", 2e-5, 0.001)
    assert recipe.train.classes_per_batch * recipe.train.images_per_class == 112
    assert recipe.evaluation.ks == (1, 2, 10, 100, 1000)


def test_the_papers_own_model_has_three_groups():
    recipe = recipes.attentive_grouping()
    assert recipe.model.head.groups == 3
    assert recipe.objective.diversity.weight == 0.02
    optimizer, schedule = recipe.train.optimizer, recipe.train.schedule
    assert (optimizer.lr, optimizer.weight_decay) == (1e-5, 0.003)
    assert optimizer.decays == {"queries": 0.001}
    assert (schedule.milestones, schedule.gamma) == ((55,), 0.3)


@pytest.mark.parametrize(("backbone", "size"), [("inception_v1", 227), ("resnet50", 224)])
def test_backbones_are_the_papers_at_its_sizes(backbone, size):
    config = recipes.grouping(backbone=backbone).model
    network = config.backbone.build(pretrained=False)
    assert (network.preprocessing.size, network.preprocessing.resize) == (size, 256)
    held = [m for m in network.train().modules() if type(m).__name__.startswith("BatchNorm")]
    assert held
    assert not any(module.training for module in held)


@pytest.mark.parametrize(
    ("method", "head"),
    [("n", "single"), ("m", "linear"), ("g", "gated"), ("c", "channel"), ("a", "attentive")],
)
def test_the_groupings_on_the_demos_pictures_are_what_varying_it_gives(method, head):
    named = recipes.named(f"emoji-{method}-margin")
    changed = with_value(with_value(recipes.emoji(), "head", head), "loss", "margin")
    assert named == changed.model_copy(update={"name": named.name})
