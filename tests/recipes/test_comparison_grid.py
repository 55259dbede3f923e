import pytest

from lookalike.errors import ConfigError, UsageError
from lookalike.heads import Attentive, Gated
from lookalike.recipes import emoji, grid, starter, varied


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
    assert varied(recipe, "head", "gated").model.head == Gated(groups=3, stage=2)
    assert varied(recipe, "head", "single").model.head.stage == 2
    assert emoji().objective.loss.margin == 0.5
    assert varied(emoji(), "loss", "margin").objective.loss.margin == 0.2


def test_any_key_can_be_varied():
    assert varied(emoji(), "train.optimizer.lr", "1e-3").train.optimizer.lr == 1e-3
    assert varied(emoji(), "groups", "8").model.head.groups == 8


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
