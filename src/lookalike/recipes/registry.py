"""All recipes by name: those to start from and the families of the papers."""

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache

from lookalike.errors import UsageError
from lookalike.recipes.avsl import AVSL
from lookalike.recipes.emoji import (
    EMOJI_ENSEMBLES,
    EMOJI_GROUPINGS,
    emoji,
    emoji_ensemble,
    emoji_graph,
    emoji_proxies,
)
from lookalike.recipes.ensemble import ABE, M_HEADS
from lookalike.recipes.family import Family, MakeRecipe, first_line
from lookalike.recipes.grouping import ATTENTIVE_GROUPINGS, GROUPINGS
from lookalike.recipes.recipe import Recipe
from lookalike.recipes.starter import starter

BUILT_IN: Mapping[str, MakeRecipe] = {
    "starter": starter,
    "emoji": emoji,
    "emoji-graph": emoji_graph,
    "emoji-proxies": emoji_proxies,
    "emoji-ensemble": emoji_ensemble,
}
FAMILIES: tuple[Family, ...] = (
    GROUPINGS,
    ATTENTIVE_GROUPINGS,
    AVSL,
    EMOJI_GROUPINGS,
    EMOJI_ENSEMBLES,
    ABE,
    M_HEADS,
)


@cache
def every() -> dict[str, MakeRecipe]:
    """Return a function for each recipe by the recipe's name, families included."""
    return {**BUILT_IN, **{name: make for f in FAMILIES for name, make in f.recipes.items()}}


def named(name: str) -> Recipe:
    """Return a recipe by its name.

    Raises:
        UsageError: No recipe has this name.
    """
    recipes = every()
    if name not in recipes:
        close = get_close_matches(name, recipes, n=3)
        hint = f"did you mean {', '.join(close)}? " if close else ""
        raise UsageError(f"there is no recipe {name!r}; {hint}there are: {', '.join(summaries())}")
    return recipes[name]()


def summaries() -> dict[str, str]:
    """Return a line on each recipe by its name, and on each family by its pattern."""
    single = {name: first_line(make) for name, make in BUILT_IN.items()}
    return single | {family.pattern: family.summary for family in FAMILIES}
