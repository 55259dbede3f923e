"""Families of recipes: recipes that differ in a few choices, each named by what was chosen."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

from lookalike.recipes.recipe import Recipe

MakeRecipe = Callable[[], Recipe]


@dataclass(frozen=True, slots=True)
class Family:
    """Recipes that differ in a few choices.

    Args:
        pattern: Their names, with the choices in braces.
        summary: What they have in common, in one line.
        recipes: By name.
    """

    pattern: str
    summary: str
    recipes: Mapping[str, MakeRecipe]


def family(
    prefix: str,
    make: Callable[..., Recipe],
    choices: Mapping[str, Sequence[str | int]],
    *,
    summary: str = "",
) -> Family:
    """Make the family of all combinations of some choices.

    Args:
        prefix: How each name begins; the chosen values follow, joined by "-".
        make: A function whose keywords are the choices.
        choices: The values to choose from, by keyword.
        summary: Empty is the first line of the function's docstring.
    """
    braces = (f"{{{','.join(map(str, values))}}}" for values in choices.values())
    return Family(
        pattern="-".join([prefix, *braces]),
        summary=summary or first_line(make),
        recipes={
            "-".join([prefix, *map(str, chosen)]): partial(
                make, **dict(zip(choices, chosen, strict=True))
            )
            for chosen in product(*choices.values())
        },
    )


def first_line(make: Callable[..., Recipe]) -> str:
    """Return the first line of a function's docstring."""
    return (make.__doc__ or "").splitlines()[0]
