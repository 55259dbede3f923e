"""Every recipe of the registry: complete, valid, and able to build its model and objective."""

import json

import pytest
import torch

from lookalike import recipes
from lookalike.backbones import Tiny
from lookalike.config import dump_yaml, parse, read_yaml
from lookalike.errors import UsageError
from lookalike.recipes import Recipe

EVERY = recipes.every()


def test_how_many_recipes_there_are():
    groupings = 5 * 3 * 2 * 4 + 3 * 2 * 4
    ensembles = 2 * 4 * 2 * 6
    assert len(EVERY) == 5 + groupings + 2 * 3 + ensembles + 5 * 2 + 4
    assert len(EVERY) == len(recipes.BUILT_IN) + sum(len(f.recipes) for f in recipes.FAMILIES)


def test_every_name_makes_a_valid_recipe_of_that_name(tmp_path):
    for name, make in EVERY.items():
        recipe = make()
        assert recipe.name == name
        assert parse(Recipe, recipe.model_dump(mode="json")) == recipe
    (tmp_path / "recipe.yaml").write_text(dump_yaml(recipe.model_dump(mode="json")))
    assert parse(Recipe, read_yaml(tmp_path / "recipe.yaml")) == recipe


def model_and_objective(recipe):
    """Return what decides how a recipe is built, without its backbone."""
    head, similarity = recipe.model.head, recipe.model.similarity
    parts = (head, similarity, recipe.objective)
    return json.dumps([part and part.model_dump(mode="json") for part in parts], sort_keys=True)


DIFFERENT = {model_and_objective(recipe): recipe for recipe in (make() for make in EVERY.values())}


@pytest.mark.parametrize("recipe", DIFFERENT.values(), ids=lambda recipe: recipe.name)
def test_every_head_and_objective_builds_and_has_a_finite_loss(recipe):
    """On a tiny backbone whose stages are called as the recipe's head calls them."""
    torch.manual_seed(0)
    plain = recipe.model_dump(mode="json")
    plain["model"]["backbone"] = Tiny(channels=(4, 6, 8)).model_dump(mode="json")
    plain["model"]["dim"] = 24
    head = plain["model"]["head"]
    if isinstance(head.get("branch"), str):
        head["branch"] = "stage3"
    if "stages" in head:
        head["stages"] = [0, 1, 2]
        plain["model"]["similarity"]["k"] = 3
    model = parse(Recipe, plain).model.build()
    objective = recipe.objective.build(
        model.similarity,
        classes=3,
        groups=model.head.groups,
        dim=model.head.dim,
        levels=model.head.levels,
    )
    labels = torch.arange(3).repeat_interleave(2)
    embedding = model.train()(torch.randn(6, 3, 16, 16))
    result = objective(embedding, labels, torch.arange(6), generator=torch.Generator())
    assert bool(torch.isfinite(result.value))


def test_every_recipe_is_listed_once():
    listed = recipes.summaries()
    assert len(listed) == len(recipes.BUILT_IN) + len(recipes.FAMILIES)
    assert all(len(line) > 20 for line in listed.values())
    assert "emoji-{n,m,g,c,a}-{binomial,margin}" in listed


def test_a_name_that_is_nearly_right_is_answered_with_those_it_may_mean():
    with pytest.raises(UsageError, match="did you mean grouping-a-margin-resnet50-cub"):
        recipes.named("grouping-a-margin-resnet5-cub")
    with pytest.raises(UsageError, match=r"there is no recipe 'zzz'; there are: starter, emoji,"):
        recipes.named("zzz")
