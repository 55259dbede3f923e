"""The grid of a comparison: every recipe, every value of what is varied, every seed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import product

from lookalike.config import Config, known_keys, override, parse
from lookalike.errors import UsageError
from lookalike.recipes.recipe import Recipe
from lookalike.similarity import similarity_of

SHORT = {
    "head": "model.head.kind",
    "loss": "objective.loss.kind",
    "backbone": "model.backbone.kind",
    "groups": "model.head.groups",
    "branch": "model.head.branch",
    "dim": "model.dim",
    "divergence": "objective.diversity.weight",
    "lr": "train.optimizer.lr",
    "epochs": "train.epochs",
}
"""Short names of keys that are often varied."""

Varied = Mapping[str, Sequence[str]]
"""For each key to vary, or its short name in `SHORT`, the values as text."""


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One run of a comparison.

    Args:
        variant: Its name, the same for all seeds: "attentive-margin".
        recipe: What to do, with the seed.
        varied: The value of each key that is varied, as text; keys are whole paths.
    """

    variant: str
    recipe: Recipe
    varied: Mapping[str, str] = field(default_factory=dict)

    @property
    def folder(self) -> str:
        """The run's folder, relative to the folder of the comparison."""
        return f"{self.variant}/seed-{self.recipe.seed}"


def grid(recipes: Sequence[Recipe], vary: Varied, seeds: Sequence[int]) -> list[PlannedRun]:
    """List the runs: seeds change first, then the last key, so that similar runs are neighbours.

    Args:
        recipes: Where to start from.
        vary: Values of each key; every value is combined with every value of the other keys.
        seeds: Each variant is run with each.

    Raises:
        UsageError: There is nothing to run, or two variants have the same name.
        ConfigError: A key is unknown, or a value does not fit.

    >>> from lookalike.recipes import emoji
    >>> [run.folder for run in grid([emoji()], {"head": ["single", "gated"]}, [0])]
    ['single/seed-0', 'gated/seed-0']
    """
    if not recipes or not seeds or not all(vary.values()):
        raise UsageError("nothing to compare: name a recipe, a seed, and values for what varies")
    planned: list[PlannedRun] = []
    for recipe in recipes:
        for values in product(*vary.values()):
            chosen = {SHORT.get(key, key): value for key, value in zip(vary, values, strict=True)}
            changed = recipe
            for key, value in chosen.items():
                changed = with_value(changed, key, value)
            # A variant is named by what is special about it, as a name of a folder.
            parts = values if values and len(recipes) == 1 else (recipe.name, *values)
            name = "-".join(re.sub(r"[^\w.+]+", "_", part) for part in parts)
            planned += [
                PlannedRun(name, changed.model_copy(update={"seed": seed}), chosen)
                for seed in seeds
            ]
    folders = [run.folder for run in planned]
    if twice := sorted({folder for folder in folders if folders.count(folder) > 1}):
        raise UsageError(f"the grid lists a run twice: {', '.join(twice)}")
    return planned


def with_value(recipe: Recipe, key: str, value: str) -> Recipe:
    """Return a recipe with one key changed.

    Where the kind of a part of the model changes, the options that both kinds have keep their
    values: a head's groups, its stage or branch. A loss of another kind starts with its own
    defaults. A head of another kind brings the similarity that fits it.

    Args:
        recipe: What to change.
        key: Steps joined by dots, or a short name in `SHORT`.
        value: As YAML.

    Raises:
        ConfigError: The key is unknown, or the value does not fit.
    """
    key = SHORT.get(key, key)
    data = recipe.model_dump(mode="json")
    changed = override(data, [f"{key}={value}"])
    *parents, last = key.split(".")
    if last == "kind" and parents[0] == "model":
        both = known_keys(Recipe, (*parents, value))
        before, after = (
            reduce(lambda plain, step: plain.get(step) or {}, parents, each)
            for each in (data, changed)
        )
        after.update({name: old for name, old in before.items() if name in both} | {last: value})
    result: Recipe = parse(Recipe, changed, source=f"vary {key}={value}")
    return _with_fitting_similarity(result) if key == SHORT["head"] else result


def _with_fitting_similarity(recipe: Recipe) -> Recipe:
    """Give the head the similarity that fits it, and keep groups apart only where it has groups."""
    model, objective = recipe.model, recipe.objective
    if model.similarity.kind == model.head.similarity:
        return recipe
    similarity = similarity_of(model.head.similarity)
    changes: dict[str, Config] = {"model": model.model_copy(update={"similarity": similarity})}
    if similarity.matrices_of == "levels":
        changes["objective"] = objective.model_copy(update={"diversity": None})
    return recipe.model_copy(update=changes)
