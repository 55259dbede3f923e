import pytest

from lookalike.comparison import grid, with_value
from lookalike.errors import ConfigError, UsageError
from lookalike.heads import Attentive, Ensemble, Gated, MultiHead, Single
from lookalike.losses import Divergence
from lookalike.recipes import emoji, starter
from lookalike.recipes.emoji import emoji_ensemble, emoji_graph, emoji_proxies
from lookalike.similarity import Graph


def test_every_value_with_every_other_and_every_seed():
    runs = grid([emoji()], {"head": ["single", "gated"], "loss": ["binomial", "margin"]}, [3, 5])
    assert [run.folder for run in runs] == [
        "single-binomial/seed-3",
        "single-binomial/seed-5",
        "single-margin/seed-3",
        "single-margin/seed-5",
        "gated-binomial/seed-3",
        "gated-binomial/seed-5",
        "gated-margin/seed-3",
        "gated-margin/seed-5",
    ]
    last = runs[-1].recipe
    assert (last.model.head.kind, last.objective.loss.kind, last.seed) == ("gated", "margin", 5)


def test_another_head_keeps_groups_and_stage_but_another_loss_starts_with_its_own_numbers():
    recipe = emoji(head=Attentive(groups=3, stage=2))
    assert with_value(recipe, "head", "gated").model.head == Gated(groups=3, stage=2)
    assert with_value(recipe, "head", "single").model.head.stage == 2
    assert emoji().objective.loss.margin == 0.5
    assert with_value(emoji(), "loss", "margin").objective.loss.margin == 0.2


def test_heads_of_learners_keep_what_they_share():
    ensemble = Ensemble(groups=3, branch=-1, trunk=1)
    recipe = emoji_ensemble().model_copy(
        update={"model": emoji_ensemble().model.model_copy(update={"head": ensemble})}
    )
    assert with_value(recipe, "head", "multihead").model.head == MultiHead(groups=3, branch=-1)
    assert with_value(recipe, "head", "attentive").model.head == Attentive(groups=3)
    assert with_value(recipe, "head", "single").model.head == Single()
    assert with_value(recipe, "head", "ensemble").model.head == ensemble
    back = with_value(with_value(recipe, "head", "multihead"), "head", "ensemble").model.head
    assert back == Ensemble(groups=3, branch=-1)
    assert with_value(emoji(head=Attentive(groups=5)), "head", "ensemble").model.head.groups == 5


@pytest.mark.parametrize("recipe", [emoji(), emoji_ensemble()], ids=lambda recipe: recipe.name)
def test_any_head_can_be_trained_with_what_the_recipe_keeps_groups_apart_by(recipe):
    for head in ("single", "multihead", "attentive", "ensemble", "levels"):
        changed = with_value(recipe, "head", head)
        if recipe.objective.over_groups == "sum" and head == "levels":
            objective = changed.objective.model_copy(update={"over_groups": "mean"})
            changed = changed.model_copy(update={"objective": objective})
        model = changed.model.build(pretrained=False)
        changed.objective.build(
            model.similarity,
            classes=4,
            groups=model.head.groups,
            dim=model.head.dim,
            levels=model.head.levels,
        )


def test_levels_bring_their_graph_along_and_take_it_away():
    recipe = with_value(emoji_proxies(), "head", "levels")
    assert recipe.model.similarity == Graph()
    again = with_value(recipe, "head", "single")
    assert again.model.similarity == emoji_proxies().model.similarity
    assert with_value(emoji_graph(), "head", "levels") == emoji_graph()


def test_what_is_varied_is_kept_under_its_whole_key():
    axes = {"head": ["ensemble", "multihead"], "divergence": ["0", "0.5"], "branch": ["-1"]}
    runs = grid([emoji_ensemble()], axes, [0])
    assert [run.variant for run in runs][:2] == ["ensemble-0-_1", "ensemble-0.5-_1"]
    assert runs[1].varied == {
        "model.head.kind": "ensemble",
        "objective.diversity.weight": "0.5",
        "model.head.branch": "-1",
    }
    before, after = emoji_ensemble().objective.diversity, runs[1].recipe.objective.diversity
    assert isinstance(before, Divergence)
    assert after == before.model_copy(update={"weight": 0.5})
    assert runs[3].recipe.model.head == MultiHead(groups=4, branch=-1)
    (plain,) = grid([emoji()], {}, [0])
    assert plain.varied == {}


def test_any_key_can_be_varied():
    assert with_value(emoji(), "train.optimizer.lr", "1e-3").train.optimizer.lr == 1e-3
    assert with_value(emoji(), "groups", "8").model.head.groups == 8


def test_several_recipes_are_told_apart_by_name():
    runs = grid([emoji(), starter()], {"groups": ["2"]}, [0])
    assert [run.variant for run in runs] == ["emoji-2", "starter-2"]


def test_names_are_fit_for_folders():
    (run,) = grid([emoji()], {"train.schedule": ["{kind: step, milestones: [3]}"]}, [0])
    assert run.variant == "_kind_step_milestones_3_"


@pytest.mark.parametrize(
    ("axes", "seeds", "error", "words"),
    [
        ({"head": ["sinlge"]}, [0], ConfigError, "vary model.head.kind=sinlge"),
        ({"model.had.kind": ["x"]}, [0], ConfigError, "had"),
        ({"groups": ["0"]}, [0], ConfigError, "greater than or equal to 1"),
        ({"head": []}, [0], UsageError, "nothing to compare"),
        ({}, [], UsageError, "nothing to compare"),
        ({}, [1, 1], UsageError, "twice: emoji/seed-1"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is(axes, seeds, error, words):
    with pytest.raises(error, match=words):
        grid([emoji()], axes, seeds)
