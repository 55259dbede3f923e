"""What varying one key does to R@1: a line for each combination of everything else."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lookalike.comparison.grid import SHORT, short
from lookalike.comparison.runs import Comparison, Variant, with_spread
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
        what = "one learner, mean" if self.of_one else "R@1" if not self.others else ""
        return ", ".join(filter(None, (self.others, what)))


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


def effects(runs: Comparison) -> tuple[Effect, ...]:
    """Return the effect of each key that was given several numbers, or several branches."""
    keys = dict.fromkeys(key for row in runs.rows for key in row.varied)
    known = (_effect(runs.finished, key) for key in keys)
    return tuple(effect for effect in known if effect is not None)


def _effect(variants: Sequence[Variant], key: str) -> Effect | None:
    rows = [variant.rows[0] for variant in variants]
    values = _in_order(key, [row.varied[key] for row in rows if key in row.varied])
    if len(values) < 2:
        return None
    several = len({row.recipe for row in rows}) > 1
    at: dict[str, dict[str | None, Variant]] = {}
    for row, variant in zip(rows, variants, strict=True):
        rest = [value for other, value in row.varied.items() if other != key]
        others = "-".join([row.recipe, *rest] if several else rest)
        at.setdefault(others, {})[row.varied.get(key)] = variant
    lines = []
    for others, own in at.items():
        for measure in (WHOLE, ONE):
            over = tuple(own[v].over_seeds(measure) if v in own else None for v in values)
            if any(over):
                lines.append(EffectLine(others, measure == ONE, over))
    return Effect(short(key), values, tuple(lines)) if lines else None


def _in_order(key: str, values: Sequence[str]) -> tuple[str, ...]:
    """Return each value once; none if the values have no order."""
    once = tuple(dict.fromkeys(values))
    if key in ORDERED:
        return once
    try:
        numbers = sorted(once, key=float)
    except ValueError:
        return ()
    return tuple(numbers) if all(math.isfinite(float(value)) for value in once) else ()
