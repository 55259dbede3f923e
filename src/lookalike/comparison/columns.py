"""The tables of a comparison: which columns there are, what is in them, and what is best."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lookalike.comparison.explanation_numbers import explanation_numbers, is_of_explanations
from lookalike.comparison.run_measures import metric_of
from lookalike.comparison.variants import Variant, Variants, spread, told_apart
from lookalike.evaluation import Metric, OverSeeds
from lookalike.rendering.numbers import NONE, number, significant
from lookalike.rendering.tables import Mark, Table, TableCell, TableColumn

MAIN = ("recall_at_1", "map_at_r", "nmi")
"""The metrics that charts and the terminal show first."""
SECONDARY = frozenset({"recall_at_2", "ami", "f1", "map_dgml", "seconds"})
"""Usual metrics and costs that only the tables in files show."""


PER_PICTURE = "a picture"
"""Ends the words of a cost that every picture has."""


@dataclass(frozen=True, slots=True)
class RunColumn:
    """A number of every run.

    Args:
        metric: Its key in a row, its label, its meaning, and which way is better.
        unit: The table shows the number divided by this.
        is_cost: It is written without its spread, with three digits that count.
        words: Of a cost: what follows the number in a sentence; empty for no sentence.
    """

    metric: Metric
    unit: float = 1.0
    is_cost: bool = False
    words: str = ""

    @property
    def descriptive(self) -> bool:
        """Whether no value is better than another."""
        return self.metric.better == "none"


def _cost(key: str, label: str, meaning: str, unit: float = 1.0, words: str = "") -> RunColumn:
    metric = Metric(key=key, label=label, meaning=meaning, better="lower")
    return RunColumn(metric, unit, is_cost=True, words=words)


COSTS = (
    _cost("parameters", "params, M", "parameters of backbone and head", 1e6, "M parameters"),
    _cost(
        "flops",
        "FLOPs, G",
        "operations to embed one picture, a multiply-add counts as two",
        1e9,
        f"GFLOPs {PER_PICTURE}",
    ),
    _cost(
        "milliseconds_per_image",
        "ms/image",
        "time to embed one picture of a batch, measured for all variants in turns",
        words=f"ms {PER_PICTURE}",
    ),
    _cost("seconds", "s/run", "time to train and measure one run, mean"),
)


def columns(variants: Variants) -> tuple[RunColumn, ...]:
    """Return the columns of the first table: what was measured of the runs, then the costs."""
    metrics = [metric_of(key) for key in variants.measured if not is_of_explanations(key)]
    return (
        *(RunColumn(metric) for metric in metrics if metric.compared),
        *(c for c in COSTS if any(v.over_seeds(c.metric.key) for v in variants.finished)),
    )


def main_table(variants: Variants, *, short: bool = False) -> Table:
    """Return the metrics and the costs, variants in the order of the grid.

    Args:
        variants: What to show.
        short: Leave out what a narrow terminal has no room for.
    """
    return _table(variants, columns(variants), notes=_notes(variants), short=short)


def explanation_tables(variants: Variants, *, short: bool = False) -> tuple[Table, ...]:
    """Return the numbers on explanations, a table for each measure that some run has.

    Args:
        variants: What to show.
        short: Leave out what a narrow terminal has no room for.
    """
    tables = []
    for group in explanation_numbers(variants.measured):
        shown = [RunColumn(metric) for metric in group.metrics]
        if not short or not all(column.descriptive for column in shown):
            table = _table(variants, shown, notes=group.notes, title=group.title, short=short)
            tables.append(table)
    return tuple(tables)


def _table(
    variants: Variants,
    shown: Sequence[RunColumn],
    *,
    notes: tuple[str, ...],
    title: str = "",
    short: bool,
) -> Table:
    if short:
        shown = [c for c in shown if not c.descriptive and c.metric.key not in SECONDARY]
    by_column = [_cells(column, variants.variants) for column in shown]
    return Table(
        title,
        (
            TableColumn("variant", align="left"),
            TableColumn("seeds"),
            *(TableColumn(column.metric.label, column.metric.meaning) for column in shown),
        ),
        tuple(
            (variant.name, _runs(variant), *cells)
            for variant, *cells in zip(variants.variants, *by_column, strict=True)
        ),
        notes=notes,
    )


def _cells(column: RunColumn, variants: Sequence[Variant]) -> list[TableCell]:
    measured = [variant.over_seeds(column.metric.key) for variant in variants]
    known = [values for values in measured if values is not None]
    first = min if column.metric.better == "lower" else max
    best = first(known, key=lambda values: values.mean)
    differ = not all(math.isclose(values.mean, best.mean) for values in known)
    marked = differ and not column.descriptive
    return [_cell(column, values, best if marked else None) for values in measured]


def _cell(column: RunColumn, values: OverSeeds | None, best: OverSeeds | None) -> TableCell:
    if values is None:
        return TableCell(NONE)
    mark: Mark = ""
    if best is not None and math.isclose(values.mean, best.mean):
        mark = "best"
    if column.is_cost:
        return TableCell(significant(values.mean / column.unit), mark=mark)
    if best is not None and not mark and told_apart(values, best) is False:
        mark = "near"
    own = spread(values)
    return TableCell(number(values.mean), "" if own is None else f"± {number(own)}", mark)


def _runs(variant: Variant) -> str:
    failed = f", {len(variant.failures)} failed" if variant.failures else ""
    return f"{len(variant.rows)}{failed}"


def _notes(variants: Variants) -> tuple[str, ...]:
    some = any(len(variant.rows) > 1 for variant in variants.variants)
    spreads = (
        "Mean ± sample standard deviation over the seeds"
        if some
        else "One seed a variant: there is no spread"
    )
    near = (
        "; ≈: not told apart from it, the difference is no larger than the larger of the two "
        "spreads, which with few seeds is a rule of thumb and not a test"
    )
    cap = "map_dgml_cap"
    caps = sorted({row.measures[cap] for row in variants.rows if cap in row.measures})
    published = (
        "mAP is defined as it is published, R counts the query itself: a perfect ranking gets "
        f"{' or '.join(f'{value:.3f}' for value in caps)}."
    )
    return (
        f"{spreads}. Bold: the best of its column, of costs the lowest{near if some else ''}.",
        *((published,) if caps else ()),
    )
