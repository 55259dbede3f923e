"""The tables of a comparison: which columns there are, what stands in them, and what is best."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from lookalike.comparison.row import MEASURED_ON
from lookalike.comparison.run_metrics import definition
from lookalike.comparison.summary import Summary, Variant, spread, told_apart
from lookalike.comparison.themes import THEMES, Best, Theme
from lookalike.evaluation import OverSeeds
from lookalike.rendering.numbers import significant

Standing = Literal["", "best", "near"]

MEASURES = {
    "recall_at_1": "R@1",
    "recall_at_2": "R@2",
    "nmi": "NMI",
    "ami": "AMI",
    "f1": "F1",
    "map_at_r": "MAP@R",
    "map_dgml": "mAP",
}
EXTRA = {
    "part_information_attention": "part bits, attention",
    "part_information_tokens": "part bits, tokens",
    "recall_at_1_of_learners_mean": "R@1 of one learner, mean",
    "recall_at_1_of_learners_lowest": "R@1 of one learner, lowest",
    "recall_at_1_of_learners_highest": "R@1 of one learner, highest",
    "self_pair_cosine_mean": "self-pair cosine, mean",
    "self_pair_cosine_deviation": "self-pair cosine, deviation",
}
DESCRIPTIVE = frozenset(
    {
        "recall_at_1_of_learners_lowest",
        "recall_at_1_of_learners_highest",
        "self_pair_cosine_mean",
        "self_pair_cosine_deviation",
    }
)
"""Measures of which neither the highest nor the lowest is best."""
_OTHERS_OF_A_REPORT = re.compile(
    r"\w+_at_(\d+|r)|recall_at_1_(worst|best)|r_precision|map_dgml_cap|(nmi|ami|f1)_spread"
)
_THEMED = frozenset(name for theme in THEMES for name, _, _ in theme.measures)


@dataclass(frozen=True, slots=True)
class Column:
    """A measure or a cost.

    Args:
        key: Of `Row.to_dict`.
        label: What the column is called.
        meaning: In a sentence; empty where nobody has written one.
        unit: One of what is shown is so many of what was measured.
        cost: Whether the spread is of no interest.
        best: Which values are; a column where none are stands in full tables alone.
    """

    key: str
    label: str
    meaning: str
    unit: float = 1.0
    cost: bool = False
    best: Best = "highest"

    @property
    def descriptive(self) -> bool:
        """Whether no value is better than another."""
        return self.best == "none"

    def first(self, values: Iterable[OverSeeds]) -> OverSeeds:
        """Return the best of some means."""
        return (min if self.best == "lowest" else max)(values, key=lambda each: each.mean)


COSTS = (
    Column(
        "parameters",
        "params, M",
        "parameters of backbone and head",
        1e6,
        cost=True,
        best="lowest",
    ),
    Column(
        "flops",
        "FLOPs, G",
        "operations to embed one picture, a multiply-add counts as two",
        1e9,
        cost=True,
        best="lowest",
    ),
    Column(
        "milliseconds_per_image",
        "ms/image",
        "time to embed one picture of a batch, measured for all variants in turns",
        cost=True,
        best="lowest",
    ),
    Column("seconds", "s/run", "time to train and measure one run, mean", cost=True, best="lowest"),
)


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in one place of the table.

    Args:
        value: The mean.
        spread: Over the seeds; empty where there is none.
        mark: "best" of its column, or "near": not told apart from the best.
    """

    value: str
    spread: str = ""
    mark: Standing = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A comparison as a table.

    Args:
        columns: What was measured.
        rows: A variant, its runs in words, and its cells.
        legend: What the signs mean, or how to read it; a sentence or two each.
        title: Empty for the first table.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, str, tuple[Cell, ...]], ...]
    legend: tuple[str, ...]
    title: str = ""


def table(summary: Summary) -> Table:
    """Lay out the usual measures and the costs, variants in the order of the grid."""
    return _table(summary, columns(summary), legend=_legend(summary))


def themed_tables(summary: Summary) -> tuple[Table, ...]:
    """Lay out the measures of explanations, a table for each theme that was measured."""
    found = ((theme, themed_columns(summary, theme)) for theme in THEMES)
    return tuple(
        _table(summary, shown, legend=theme.legend({c.key for c in shown}), title=theme.title)
        for theme, shown in found
        if shown
    )


def themed_columns(summary: Summary, theme: Theme) -> tuple[Column, ...]:
    """Choose the measures of a theme that some run has."""
    shown = (
        Column(name, label, kind.meaning, best=kind.best) for name, label, kind in theme.measures
    )
    return tuple(column for column in shown if _is_measured(summary, column))


def _table(
    summary: Summary, shown: tuple[Column, ...], *, legend: tuple[str, ...], title: str = ""
) -> Table:
    by_column = [_cells(column, summary.variants) for column in shown]
    rows = tuple(
        (variant.name, _runs(variant), tuple(cells[place] for cells in by_column))
        for place, variant in enumerate(summary.variants)
    )
    return Table(shown, rows, legend, title)


def columns(summary: Summary) -> tuple[Column, ...]:
    """Choose the columns: the usual measures, those beside a report's, and the costs."""
    measured = dict.fromkeys(name for row in summary.rows for name in row.measures)
    known = {*MEASURES, *_THEMED, MEASURED_ON}
    extra = [n for n in measured if n not in known and not _OTHERS_OF_A_REPORT.fullmatch(n)]
    labels = MEASURES | {name: _label(name) for name in extra}
    measures = [
        Column(name, label, _meaning(name), best="none" if name in DESCRIPTIVE else "highest")
        for name, label in labels.items()
    ]
    return tuple(column for column in (*measures, *COSTS) if _is_measured(summary, column))


def _is_measured(summary: Summary, column: Column) -> bool:
    return any(variant.over_seeds(column.key) for variant in summary.variants)


def _label(name: str) -> str:
    level = re.fullmatch(r"recall_at_1_of_level_(\d+)", name)
    return f"R@1, level {level[1]}" if level else EXTRA.get(name, name)


def _meaning(name: str) -> str:
    return definition(name)


def _cells(column: Column, variants: Sequence[Variant]) -> list[Cell]:
    measured = [variant.over_seeds(column.key) for variant in variants]
    known = [values for values in measured if values is not None]
    best = column.first(known)
    differ = not all(math.isclose(values.mean, best.mean) for values in known)
    marked = differ and not column.descriptive
    return [_cell(column, values, best if marked else None) for values in measured]


def _cell(column: Column, values: OverSeeds | None, best: OverSeeds | None) -> Cell:
    if values is None:
        return Cell("–")
    mark: Standing = ""
    if best is not None and math.isclose(values.mean, best.mean):
        mark = "best"
    if column.cost:
        return Cell(significant(values.mean / column.unit), mark=mark)
    if best is not None and not mark and told_apart(values, best) is False:
        mark = "near"
    own = spread(values)
    return Cell(f"{values.mean:.3f}".replace("-", "−"), "" if own is None else f"± {own:.3f}", mark)


def _runs(variant: Variant) -> str:
    failed = f", {len(variant.failures)} failed" if variant.failures else ""
    return f"{len(variant.rows)}{failed}"


def _legend(summary: Summary) -> tuple[str, ...]:
    some = any(len(variant.rows) > 1 for variant in summary.variants)
    spreads = (
        "Mean ± sample standard deviation over the seeds"
        if some
        else "One seed a variant: there is no spread"
    )
    near = (
        "; ≈: not told apart from it, the difference is no larger than the larger of the two "
        "spreads, which with few seeds is a rule of thumb and not a test"
    )
    caps = sorted(
        {row.measures[c] for row in summary.rows if (c := "map_dgml_cap") in row.measures}
    )
    published = (
        "mAP is defined as it is published, R counts the query itself: a perfect ranking gets "
        f"{' or '.join(f'{value:.3f}' for value in caps)}."
    )
    return (
        f"{spreads}. Bold: the best of its column, of costs the lowest{near if some else ''}.",
        *((published,) if caps else ()),
    )
