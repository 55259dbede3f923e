"""What varying one key does to R@1: a line for each combination of everything else."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from lookalike.comparison.grid import SHORT, short
from lookalike.comparison.summary import Summary, Variant
from lookalike.evaluation import OverSeeds

ORDERED = frozenset({SHORT["branch"]})
"""Keys whose values may be names and still have an order: that in which they were asked for."""
WHOLE, ONE = "recall_at_1", "recall_at_1_of_learners_mean"


@dataclass(frozen=True, slots=True)
class EffectLine:
    """A measure at each value of the key, with everything else the same.

    Args:
        others: The values of whatever else varies, joined; empty where nothing does.
        of_one: Whether it is R@1 of one learner, the mean over all, and not of the whole model.
        values: Over the seeds; None where it is not known.
    """

    others: str
    of_one: bool
    values: tuple[OverSeeds | None, ...]

    @property
    def name(self) -> str:
        """What the line is called."""
        what = "one learner, mean" if self.of_one else "R@1"
        if not self.others:
            return what
        return f"{self.others}, {what}" if self.of_one else self.others


@dataclass(frozen=True, slots=True)
class Effect:
    """What varying one key does.

    Args:
        key: Its short name, or its path where it has none.
        values: Numbers in their order, names as they were asked for.
        lines: Two for each combination of the others where learners were measured alone.
    """

    key: str
    values: tuple[str, ...]
    lines: tuple[EffectLine, ...]

    @property
    def title(self) -> str:
        """What it is called."""
        whole = SHORT.get(self.key)
        return f"Effect of {self.key}{f' ({whole})' if whole else ''}"


def effects(summary: Summary) -> tuple[Effect, ...]:
    """Return the effect of each key that was given several numbers, or several branches."""
    keys = dict.fromkeys(key for row in summary.rows for key in row.varied)
    found = (_effect(summary.finished, key) for key in keys)
    return tuple(effect for effect in found if effect is not None)


def _effect(variants: Sequence[Variant], key: str) -> Effect | None:
    values = _in_order(key, [v.rows[0].varied[key] for v in variants if key in v.rows[0].varied])
    if len(values) < 2:
        return None
    named = len({v.rows[0].recipe for v in variants}) > 1
    others = dict.fromkeys(map(partial(_others, key=key, named=named), variants))
    lines = []
    for other in others:
        at = {
            v.rows[0].varied.get(key): v
            for v in variants
            if _others(v, key=key, named=named) == other
        }
        for measure in (WHOLE, ONE):
            over = tuple(at[v].over_seeds(measure) if v in at else None for v in values)
            if any(over):
                lines.append(EffectLine(other, measure == ONE, over))
    return Effect(short(key), values, tuple(lines)) if lines else None


def _in_order(key: str, values: Sequence[str]) -> tuple[str, ...]:
    """Return each value once; none where they are not of the kind that has an order."""
    once = list(dict.fromkeys(values))
    if key in ORDERED:
        return tuple(once)
    return tuple(sorted(once, key=float)) if all(map(_is_number, once)) else ()


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _others(variant: Variant, *, key: str, named: bool) -> str:
    """Name what else varies, as the variants are named: the recipe if there are several."""
    row = variant.rows[0]
    rest = [value for other, value in row.varied.items() if other != key]
    return "-".join([row.recipe, *rest] if named else rest)
