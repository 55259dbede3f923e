"""How good the explanations of each run are: the numbers of all measures of explanations."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lookalike.comparison.run_measures import Measurand
from lookalike.comparison.run_row import RunRow
from lookalike.evaluation import Metric
from lookalike.explanation.measures import MEASURES, Measure, Quantity
from lookalike.explanation.report import measure_explanations
from lookalike.explanation.saliency import METHODS, default_methods

MEASURED_ON = "explanation_pairs"
"""Key of a row: on how many pairs, at most, the explanations were measured."""
OWN_MAPS = ("exact", "shared")
"""Methods of the model's own score; only a graph has `shared`."""
OTHER_MAPS = "grad_cam"
"""The method that they are compared with."""
PICTURES = 512
"""Groups are measured on so many pictures, at most."""
_SWAPPED = "_of_another_pair"
"""Follows the name of a method whose maps were taken from another pair, as a control."""


@dataclass(frozen=True, slots=True)
class NumberGroup:
    """Numbers that one table shows.

    Args:
        title: Title of the table.
        metrics: Its columns.
        notes: How to read it, and what each number is.
    """

    title: str
    metrics: tuple[Metric, ...]
    notes: tuple[str, ...]


def explanation_numbers(measured: Iterable[str]) -> tuple[NumberGroup, ...]:
    """Pick the keys that are numbers of measures of explanations, a group for each table."""
    keys = set(measured)
    groups: dict[str, NumberGroup] = {}
    for measure in MEASURES.values():
        title = measure.heading
        group = groups.get(title, NumberGroup(title, (), (measure.reading,)))
        for quantity in measure.quantities:
            shown = tuple(m for m in _metrics(measure, quantity) if m.key in keys)
            label = f"{quantity.label[0].upper()}{quantity.label[1:]}"
            note = (f"{label}: {quantity.meaning}.",) if shown else ()
            group = replace(group, metrics=group.metrics + shown, notes=group.notes + note)
        groups[title] = group
    return tuple(group for group in groups.values() if group.metrics)


def is_of_explanations(key: str) -> bool:
    """Say whether a number of a row belongs to the measures of explanations."""
    return key == MEASURED_ON or bool(explanation_numbers([key]))


def headlines() -> tuple[Quantity, ...]:
    """Return the quantities that a comparison draws and says a sentence about."""
    return tuple(q for measure in MEASURES.values() for q in measure.quantities if q.headline)


def compared_methods() -> tuple[str, ...]:
    """Return the names of all methods: first those that a comparison measures by itself."""
    first = (*OWN_MAPS, OTHER_MAPS)
    return (*first, *(name for name in METHODS if name not in first))


def in_words(quantity: Quantity) -> str:
    """Say which way is better."""
    return f"{'less' if quantity.better == 'lower' else 'more'} is better"


def key_of(quantity: Quantity, method: str) -> str:
    """Return the key of a method's quantity in a row."""
    return f"{quantity.key}_{method}"


def lacks_explanations(row: RunRow, pairs: int, methods: Sequence[str] | None = None) -> bool:
    """Say whether a row's explanations were not measured, on other pairs, or not of all methods."""
    if row.measures.get(MEASURED_ON) != pairs:
        return True
    return not all(
        any(key_of(quantity, method) in row.measures for quantity in headlines())
        for method in methods or ()
    )


def with_explanations(
    row: RunRow, run: Measurand, *, pairs: int, methods: Sequence[str] | None = None
) -> RunRow:
    """Measure a run's explanations and put the numbers into its row, in place of earlier ones."""
    others = {key: value for key, value in row.measures.items() if not is_of_explanations(key)}
    measured = explanation_measures(run, pairs=pairs, methods=methods)
    return replace(row, measures={**others, **measured})


def explanation_measures(
    run: Measurand, *, pairs: int, methods: Sequence[str] | None = None
) -> Mapping[str, float]:
    """Measure a run's explanations: the maps of some methods, and the groups.

    Hidden cells are blurred. With 50 pairs some 6,000 masked pictures go through the network.
    What does not apply to the model or the pictures is not among the results. Pairs are drawn with
    the run's seed: the same for all variants of a seed, others for the next seed.

    Args:
        run: The model and its test pictures.
        pairs: Number of pairs of one class, at most.
        methods: Names of saliency methods; None for the exact maps and Grad-CAM's.

    Returns:
        Numbers by key, and `explanation_pairs`.

    Raises:
        UsageError: No class has two pictures.
        ImageError: A picture cannot be read; the message names it.
    """
    usual = [n for n in default_methods(run.model) if n in {*OWN_MAPS, OTHER_MAPS}]
    report = measure_explanations(
        run.model,
        run.catalog,
        methods=usual if methods is None else methods,
        fills=("blur",),
        pairs=pairs,
        pictures=PICTURES,
        seed=run.seed,
    )
    return {MEASURED_ON: float(pairs), **report.numbers()}


def _metrics(measure: Measure[Any], quantity: Quantity) -> Iterator[Metric]:
    """Yield every number of a row that a quantity may give."""
    if not measure.of_methods:
        yield Metric(
            key=quantity.key,
            label=quantity.label,
            meaning=quantity.meaning,
            better=quantity.better,
        )
        return
    for suffix, shown in (("", ""), (_SWAPPED, ", another pair's")):
        for method in compared_methods():
            yield Metric(
                key=f"{key_of(quantity, method)}{suffix}",
                label=f"{quantity.label}, {METHODS[method].label}{shown}",
                meaning=quantity.meaning,
                better="none" if suffix else quantity.better,
            )
