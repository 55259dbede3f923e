"""How good the explanations of each run are: the numbers of all measures of explanations."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from lookalike.comparison.explaining import _numbers
from lookalike.comparison.run_measures import Measurand
from lookalike.comparison.run_row import RunRow
from lookalike.comparison.themes import MEASURES, Quantity, Theme
from lookalike.evaluation import Metric
from lookalike.explanation.report import default_methods, measure_explanations
from lookalike.explanation.report.wording import method_label

MEASURED_ON = "explanation_pairs"
"""Key of a row: on how many pairs, at most, the explanations were measured."""
OWN_MAPS = ("exact", "shared")
"""Methods of the model's own score; only a graph has `shared`."""
OTHER_MAPS = "grad_cam"
"""The method that they are compared with."""
COMPARED = (*OWN_MAPS, OTHER_MAPS)
"""Methods that a comparison measures, in the order of columns and colours."""
PICTURES = 512
"""Groups are measured on so many pictures, at most."""
_SWAPPED = "_of_another_pair"
"""Follows a method's name where its maps were taken from another pair, as a control."""


@dataclass(frozen=True, slots=True)
class NumberGroup:
    """Numbers that one table shows.

    Args:
        title: Of the table.
        metrics: Its columns.
        notes: How to read it, and what each number is.
    """

    title: str
    metrics: tuple[Metric, ...]
    notes: tuple[str, ...]


def explanation_numbers(measured: Iterable[str]) -> tuple[NumberGroup, ...]:
    """Group those of some keys that are numbers of measures of explanations."""
    keys = set(measured)
    groups: dict[str, NumberGroup] = {}
    for measure in MEASURES:
        group = groups.setdefault(
            measure.heading, NumberGroup(measure.heading, (), (measure.reading,))
        )
        for quantity in measure.quantities:
            shown = tuple(m for m in _metrics(measure, quantity) if m.key in keys)
            label = f"{quantity.label[0].upper()}{quantity.label[1:]}"
            note = (f"{label}: {quantity.meaning}.",) if shown else ()
            group = replace(group, metrics=group.metrics + shown, notes=group.notes + note)
        groups[measure.heading] = group
    return tuple(group for group in groups.values() if group.metrics)


def is_of_explanations(key: str) -> bool:
    """Say whether a number of a row belongs to the measures of explanations."""
    return key == MEASURED_ON or bool(explanation_numbers([key]))


def headlines() -> tuple[Quantity, ...]:
    """Return the quantities that a comparison draws and says a sentence about."""
    return tuple(q for measure in MEASURES for q in measure.quantities if q.headline)


def in_words(quantity: Quantity) -> str:
    """Say which way is better."""
    return f"{'less' if quantity.better == 'lower' else 'more'} is better"


def key_of(quantity: Quantity, method: str) -> str:
    """Return the key of a method's quantity in a row."""
    return f"{quantity.key}_{method}"


def lacks_explanations(row: RunRow, pairs: int) -> bool:
    """Say whether a row's explanations were not measured, or on another number of pairs."""
    return row.measures.get(MEASURED_ON) != pairs


def with_explanations(row: RunRow, run: Measurand, *, pairs: int) -> RunRow:
    """Measure a run's explanations and put the numbers into its row, in place of earlier ones."""
    others = {key: value for key, value in row.measures.items() if not is_of_explanations(key)}
    return replace(row, measures={**others, **measure(run, pairs=pairs)})


def measure(run: Measurand, *, pairs: int) -> Mapping[str, float]:
    """Measure a run's explanations: exact maps, Grad-CAM's maps, and the groups.

    Hidden cells are blurred. With 50 pairs some 6,000 masked pictures go through the network.
    What does not apply to the model or the pictures is not among the results. Pairs are drawn with
    the run's seed: the same for all variants of a seed, others for the next seed.

    Args:
        run: The model and its test pictures.
        pairs: Number of pairs of one class, at most.

    Returns:
        Numbers by key, and `explanation_pairs`.

    Raises:
        UsageError: No class has two pictures.
        ImageError: A picture cannot be read; the message names it.
    """
    report = measure_explanations(
        run.model,
        run.catalog,
        methods=[name for name in default_methods(run.model) if name in COMPARED],
        fills=("blur",),
        pairs=pairs,
        pictures=PICTURES,
        seed=run.seed,
    )
    return {MEASURED_ON: float(pairs), **dict(_numbers(report))}


def _metrics(measure: Theme, quantity: Quantity) -> Iterator[Metric]:
    """Yield every number that a quantity may be in a row."""
    if not measure.of_methods:
        yield Metric(
            key=quantity.key,
            label=quantity.label,
            meaning=quantity.meaning,
            better=quantity.better,
        )
        return
    for suffix, shown in (("", ""), (_SWAPPED, ", another pair's")):
        for method in COMPARED:
            yield Metric(
                key=f"{quantity.key}_{method}{suffix}",
                label=f"{quantity.label}, {method_label(method)}{shown}",
                meaning=quantity.meaning,
                better="none" if suffix else quantity.better,
            )
