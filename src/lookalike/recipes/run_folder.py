"""Run folders: whether one holds a run, of which recipe, and whether a new run may start there."""

import json
from pathlib import Path
from typing import Any

from lookalike import checkpoint
from lookalike.config import parse, read_yaml
from lookalike.errors import UsageError
from lookalike.model import CONFIG
from lookalike.recipes.recipe import Recipe

LOG = "log.jsonl"
RECIPE = "recipe.yaml"
"""Written before the first step, so that a run that was stopped early is recognised."""


def prepare_folder(folder: Path, recipe: Recipe, *, resume: bool) -> None:
    """Create the folder, and refuse to mix two runs in it.

    Raises:
        UsageError: The folder holds a run and `resume` is False, or the run of another recipe.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not is_begun(folder):
        return
    if not resume:
        raise UsageError(
            f"{folder}: this folder holds a run; resume it (--resume) or choose another folder"
        )
    before = recipe_of(folder).model_dump(mode="json")
    changed = _changed_keys(before, recipe.model_dump(mode="json"))
    # Resuming may train longer; everything else must stay.
    changed = [key for key in changed if key not in {"train.epochs", "train.patience"}]
    if changed:
        raise UsageError(
            f"{folder}: cannot resume with another recipe; these keys differ: {', '.join(changed)}"
        )


def is_begun(folder: Path) -> bool:
    """Whether a folder holds a run, finished or not."""
    return (folder / RECIPE).exists() or (folder / CONFIG).exists()


def recipe_of(folder: Path) -> Recipe:
    """Return the recipe of the run in a folder.

    Raises:
        LookalikeError: There is none, or it cannot be read.
    """
    path = folder / RECIPE
    plain = read_yaml(path) if path.exists() else checkpoint.read_config(folder).recipe
    recipe: Recipe = parse(Recipe, plain, source=str(folder))
    return recipe


def _changed_keys(before: dict[str, Any], now: dict[str, Any], path: str = "") -> list[str]:
    keys: list[str] = []
    for key in dict.fromkeys([*before, *now]):
        old, new = before.get(key), now.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            keys += _changed_keys(old, new, f"{path}{key}.")
        elif json.dumps(old) != json.dumps(new):
            keys.append(f"{path}{key}")
    return keys
