"""What varying one key does to R@1: a line for each combination of everything else."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from lookalike.comparison.grid import SHORT, short
from lookalike.comparison.variants import Variant, Variants, with_spread
from lookalike.evaluation import OverSeeds
from lookalike.rendering.numbers import NONE
from lookalike.rendering.tables import Table, TableColumn

ORDERED = frozenset({SHORT["branch"]})
"""Keys whose values may be names and still have an order: the order in which they were given."""
WHOLE, ONE = "recall_at_1", "recall_at_1_of_learners_mean"


@dataclass(frozen=True, slots=True)
class EffectLine:
    """R@1 at each value of the key, with everything else the same.

    Args:
        others: The values of whatever else varies, joined; empty if nothing does.
        of_one: Whether it is R@1 of one learner, the mean over all, instead of the whole model's.
        values: Over the seeds; None if it is not known.
    """

    others: str
    of_one: bool
    values: tuple[OverSeeds | None, ...]

    @property
    def name(self) -> str:
        """Name of the line."""
        what = "one learner, mean" if self.of_one else "R@1"
        if not self.others:
            return what
        return f"{self.others}, {what}" if self.of_one else self.others


@dataclass(frozen=True, slots=True)
class Effect:
    """What varying one key does.

    Args:
        key: Its short name, or its path if it has none.
        values: Numbers in their order, names in the order in which they were given.
        lines: Two for each combination of the others if learners were measured alone.
    """

    key: str
    values: tuple[str, ...]
    lines: tuple[EffectLine, ...]

    @property
    def title(self) -> str:
        """Title of its table and its chart."""
        whole = SHORT.get(self.key)
        return f"Effect of {self.key}{f' ({whole})' if whole else ''}"

    @property
    def table(self) -> Table:
        """The numbers."""
        return Table(
            self.title,
            (TableColumn("", align="left"), *map(TableColumn, self.values)),
            tuple(
                (line.name, *(NONE if over is None else with_spread(over) for over in line.values))
                for line in self.lines
            ),
        )


def effects(variants: Variants) -> tuple[Effect, ...]:
    """Return the effect of each key that was given several numbers, or several branches."""
    keys = dict.fromkeys(key for row in variants.rows for key in row.varied)
    known = (_effect(variants.finished, key) for key in keys)
    return tuple(effect for effect in known if effect is not None)


def _effect(variants: Sequence[Variant], key: str) -> Effect | None:
    values = _in_order(key, [v.rows[0].varied[key] for v in variants if key in v.rows[0].varied])
    if len(values) < 2:
        return None
    several = len({v.rows[0].recipe for v in variants}) > 1
    others_of = partial(_others, key=key, with_recipe=several)
    lines = []
    for others in dict.fromkeys(map(others_of, variants)):
        at = {v.rows[0].varied.get(key): v for v in variants if others_of(v) == others}
        for measure in (WHOLE, ONE):
            over = tuple(at[v].over_seeds(measure) if v in at else None for v in values)
            if any(over):
                lines.append(EffectLine(others, measure == ONE, over))
    return Effect(short(key), values, tuple(lines)) if lines else None


def _in_order(key: str, values: Sequence[str]) -> tuple[str, ...]:
    """Return each value once; none if the values have no order."""
    once = list(dict.fromkeys(values))
    if key in ORDERED:
        return tuple(once)
    return tuple(sorted(once, key=float)) if all(map(_is_number, once)) else ()


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _others(variant: Variant, *, key: str, with_recipe: bool) -> str:
    """Name what else varies, as variants are named."""
    row = variant.rows[0]
    rest = [value for other, value in row.varied.items() if other != key]
    return "-".join([row.recipe, *rest] if with_recipe else rest)
