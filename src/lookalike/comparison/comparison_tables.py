"""The tables of a comparison: what is best, what varying a key does, and published results.

`published.csv` has results on the four benchmarks as they were printed, in percent; only what could
be checked in a source.
"""

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from lookalike.comparison.explanation_numbers import explanation_numbers, is_of_explanations
from lookalike.comparison.grid import SHORT
from lookalike.comparison.run_measures import metric_of
from lookalike.comparison.runs import Comparison, Variant, told_apart, with_spread
from lookalike.data.benchmarks import BENCHMARKS
from lookalike.evaluation import Metric, OverSeeds
from lookalike.rendering.numbers import NONE, number, significant
from lookalike.rendering.tables import Mark, Table, TableCell, TableColumn

MAIN = ("recall_at_1", "map_at_r", "nmi")
"""The metrics that charts and the terminal show first."""
SECONDARY = frozenset({"recall_at_2", "ami", "f1", "map_dgml", "seconds"})
"""Usual metrics and costs that only the tables in files show."""
PER_PICTURE = "a picture"
"""Ends the words of a cost that every picture has."""
CAUTION = (
    "In percent. Backbones, sizes of embeddings, pictures and batches, and the choice of the epoch "
    "differ from row to row, so the table does not rank the methods. A number is higher if the "
    "epoch was chosen on the test pictures."
)
NOT_QUOTED = (
    "A-grouping (Xu et al. 2020) reports this data set in its table 2. Those numbers are not "
    "quoted because no copy of the table could be checked."
)


ORDERED = frozenset({SHORT["branch"]})
"""Keys whose values may be names and still have an order: the order in which they were given."""
WHOLE, ONE = "recall_at_1", "recall_at_1_of_learners_mean"


class Cost(NamedTuple):
    """A number of every run, written without its spread and with three digits that count.

    Args:
        label: Its name in tables.
        meaning: In a phrase.
        unit: The table shows the number divided by this.
        words: What follows the number in a sentence; empty for no sentence.
    """

    label: str
    meaning: str
    unit: float = 1.0
    words: str = ""


COSTS = {
    "parameters": Cost("params, M", "parameters of backbone and head", 1e6, "M parameters"),
    "flops": Cost(
        "FLOPs, G",
        "operations to embed one picture, a multiply-add counts as two",
        1e9,
        f"GFLOPs {PER_PICTURE}",
    ),
    "milliseconds_per_image": Cost(
        "ms/image",
        "time to embed one picture of a batch, measured for all variants in turns",
        words=f"ms {PER_PICTURE}",
    ),
    "seconds": Cost("s/run", "time to train and measure one run, mean"),
}
"""By their keys in a row."""


def columns(runs: Comparison) -> tuple[Metric, ...]:
    """Return the columns of the first table: what was measured of the runs, then the costs."""
    metrics = [metric_of(key) for key in runs.measured if not is_of_explanations(key)]
    return (
        *(metric for metric in metrics if metric.compared),
        *(
            Metric(key=key, label=cost.label, meaning=cost.meaning, better="lower")
            for key, cost in COSTS.items()
            if any(variant.over_seeds(key) for variant in runs.finished)
        ),
    )


def ranking_metrics(runs: Comparison) -> tuple[list[Metric], list[Metric]]:
    """Return the metrics by which variants are ranked: the main ones, and those that are unusual.

    Costs are none of them, nor is what no value is better of.
    """
    known = {m.key: m for m in columns(runs) if m.key not in COSTS and m.better != "none"}
    main = [known.pop(key) for key in MAIN if key in known]
    return main, [metric for metric in known.values() if metric.key not in SECONDARY]


def main_table(runs: Comparison, *, short: bool = False) -> Table:
    """Return the metrics and the costs, variants in the order of the grid.

    Args:
        runs: What to show.
        short: Leave out what a narrow terminal has no room for.
    """
    some = any(len(variant.rows) > 1 for variant in runs.variants)
    spreads = (
        "Mean ± sample standard deviation over the seeds"
        if some
        else "One seed a variant: there is no spread"
    )
    near = (
        "; ≈: not told apart from it, the difference is no larger than the larger of the two "
        "spreads, which with few seeds is a rule of thumb and not a test"
    )
    notes = [f"{spreads}. Bold: the best of its column, of costs the lowest{near if some else ''}."]
    cap = "map_dgml_cap"
    if caps := sorted({row.measures[cap] for row in runs.rows if cap in row.measures}):
        notes.append(
            "mAP is defined as it is published, R counts the query itself: a perfect ranking gets "
            f"{' or '.join(f'{value:.3f}' for value in caps)}."
        )
    return _table("", runs, columns(runs), notes, short=short)


def explanation_tables(runs: Comparison, *, short: bool = False) -> tuple[Table, ...]:
    """Return the numbers on explanations, a table for each measure that some run has.

    Args:
        runs: What to show.
        short: Leave out what a narrow terminal has no room for.
    """
    return tuple(
        _table(title, runs, metrics, notes, short=short)
        for title, (metrics, notes) in explanation_numbers(runs.measured).items()
        if not short or any(metric.better != "none" for metric in metrics)
    )


def _table(
    title: str, runs: Comparison, shown: Iterable[Metric], notes: Sequence[str], *, short: bool
) -> Table:
    if short:
        shown = [m for m in shown if m.better != "none" and m.key not in SECONDARY]
    shown = tuple(shown)
    by_column = [_cells(metric, runs.variants) for metric in shown]
    return Table(
        title,
        (
            TableColumn("variant", align="left"),
            TableColumn("seeds"),
            *(TableColumn(metric.label, metric.meaning) for metric in shown),
        ),
        tuple(
            (variant.name, _runs(variant), *cells)
            for variant, *cells in zip(runs.variants, *by_column, strict=True)
        ),
        notes=tuple(notes),
    )


def _cells(metric: Metric, variants: Sequence[Variant]) -> list[TableCell]:
    measured = [variant.over_seeds(metric.key) for variant in variants]
    known = [values for values in measured if values is not None]
    first = min if metric.better == "lower" else max
    best = first(known, key=lambda values: values.mean)
    differ = not all(math.isclose(values.mean, best.mean) for values in known)
    marked = differ and metric.better != "none"
    return [_cell(metric, values, best if marked else None) for values in measured]


def _cell(metric: Metric, values: OverSeeds | None, best: OverSeeds | None) -> TableCell:
    if values is None:
        return TableCell(NONE)
    mark: Mark = ""
    if best is not None and math.isclose(values.mean, best.mean):
        mark = "best"
    if metric.key in COSTS:
        return TableCell(significant(values.mean / COSTS[metric.key].unit), mark=mark)
    if best is not None and not mark and told_apart(values, best) is False:
        mark = "near"
    spread = f"± {number(values.spread)}" if len(values.values) > 1 else ""
    return TableCell(number(values.mean), spread, mark)


def _runs(variant: Variant) -> str:
    failed = f", {len(variant.failures)} failed" if variant.failures else ""
    return f"{len(variant.rows)}{failed}"


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
    short = {whole: name for name, whole in SHORT.items()}.get(key, key)
    return Effect(short, values, tuple(lines)) if lines else None


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


@cache
def published(benchmark: str) -> tuple[dict[str, str], ...]:
    """Return the published results on a benchmark, by its short name: cub, cars, sop or inshop.

    Each has the columns of the file: `ks` and `recalls` are separated by blanks; `source` begins
    with "secondary" if others than the authors quote the numbers, and with "re-run" if others
    trained again; `selected` says which pictures chose the epoch. Unknown values are empty.

    >>> published("inshop")[0]["recalls"]
    '88.93'
    """
    text = (Path(__file__).parent / "published.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return tuple(row for row in rows if row["benchmark"] == benchmark)


def beside(runs: Comparison, benchmark: str) -> Table:
    """Return our results, and below them the published ones on a benchmark."""
    known = published(benchmark)
    ks = sorted({int(k) for result in known for k in result["ks"].split()})
    quoted = any(result["method"] == "A-grouping" for result in known)
    numbers = ("dim", *(f"R@{k}" for k in ks), "NMI", "F1")
    return Table(
        f"Published on {BENCHMARKS[benchmark].title}",
        (
            *(TableColumn(label, align="left") for label in ("method", "backbone")),
            *map(TableColumn, numbers),
            *(TableColumn(label, align="left") for label in ("epoch chosen on", "from")),
        ),
        (
            *(_ours(variant, ks) for variant in runs.finished),
            *(_theirs(result, ks) for result in known),
        ),
        definition=CAUTION if quoted else f"{CAUTION} {NOT_QUOTED}",
    )


def _theirs(result: dict[str, str], ks: Sequence[int]) -> tuple[str, ...]:
    recall_at = dict(zip(result["ks"].split(), result["recalls"].split(), strict=True))
    recalls = [recall_at.get(str(k), "") for k in ks]
    numbers = [result["backbone"], result["dim"], *recalls, result["nmi"], result["f1"]]
    known = [value or NONE for value in numbers]
    return (result["method"], *known, result["selected"], result["source"])


def _ours(variant: Variant, ks: Sequence[int]) -> tuple[TableCell | str, ...]:
    row, seeds = variant.rows[0], len(variant.rows)
    keys = (*(f"recall_at_{k}" for k in ks), "nmi", "f1")
    over = [variant.over_seeds(key) for key in keys]
    return (
        TableCell(variant.name, "(ours)", "best"),
        row.backbone,
        str(row.dim),
        *(NONE if values is None else number(100 * values.mean, 1) for values in over),
        row.selected_on,
        "one seed" if seeds == 1 else f"mean of {seeds} seeds",
    )
