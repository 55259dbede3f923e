"""How good the explanations of each run are: the numbers of all measures of explanations."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from lookalike.comparison.run_measures import Measurand
from lookalike.comparison.runs import RunRow
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


def explanation_numbers(measured: Iterable[str]) -> dict[str, tuple[list[Metric], list[str]]]:
    """Pick the keys that are numbers of measures of explanations.

    Returns:
        By the title of a table: its columns, and how to read it and what each number is.
    """
    keys = set(measured)
    tables: dict[str, tuple[list[Metric], list[str]]] = {}
    for measure in MEASURES.values():
        metrics, notes = tables.setdefault(measure.heading, ([], [measure.reading]))
        for quantity in measure.quantities:
            if shown := [metric for metric in _metrics(measure, quantity) if metric.key in keys]:
                metrics += shown
                label = f"{quantity.label[0].upper()}{quantity.label[1:]}"
                notes.append(f"{label}: {quantity.meaning}.")
    return {title: table for title, table in tables.items() if table[0]}


def is_of_explanations(key: str) -> bool:
    """Say whether a number of a row belongs to the measures of explanations."""
    return key == MEASURED_ON or bool(explanation_numbers([key]))


def headlines() -> tuple[Quantity, ...]:
    """Return the quantities that a comparison draws and says a sentence about."""
    return tuple(q for measure in MEASURES.values() for q in measure.quantities if q.headline)


def compared_methods() -> tuple[str, ...]:
    """Return the names of all methods: first those that a comparison measures by itself."""
    return tuple(dict.fromkeys((*OWN_MAPS, OTHER_MAPS, *METHODS)))


def in_words(quantity: Quantity) -> str:
    """Say which way is better."""
    return f"{'less' if quantity.better == 'lower' else 'more'} is better"


def key_of(quantity: Quantity, method: str) -> str:
    """Return the key of a method's quantity in a row."""
    return f"{quantity.key}_{method}"


def lacks_explanations(row: RunRow, pairs: int, methods: Sequence[str] | None = None) -> bool:
    """Say whether a row's explanations were not measured, on other pairs, or not of all methods."""
    return row.measures.get(MEASURED_ON) != pairs or not all(
        any(key_of(quantity, method) in row.measures for quantity in headlines())
        for method in methods or ()
    )


def with_explanations(
    row: RunRow, run: Measurand, *, pairs: int, methods: Sequence[str] | None = None
) -> RunRow:
    """Measure a run's explanations and put the numbers into its row, in place of earlier ones.

    Hidden cells are blurred. With 50 pairs some 6,000 masked pictures go through the network.
    What does not apply to the model or the pictures is left out. Pairs are drawn with the run's
    seed: the same for all variants of a seed, others for the next seed.

    Args:
        row: Of the run.
        run: The model and its test pictures.
        pairs: Number of pairs of one class, at most.
        methods: Names of saliency methods; None for the exact maps and Grad-CAM's.

    Returns:
        The row, with numbers by key, and `explanation_pairs`.

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
    others = {key: value for key, value in row.measures.items() if not is_of_explanations(key)}
    return replace(row, measures={**others, MEASURED_ON: float(pairs), **report.numbers()})


def _metrics(measure: Measure[Any], quantity: Quantity) -> Iterator[Metric]:
    """Yield every number of a row that a quantity may give."""
    metric = Metric(
        key=quantity.key, label=quantity.label, meaning=quantity.meaning, better=quantity.better
    )
    if not measure.of_methods:
        yield metric
        return
    for suffix, shown in (("", ""), (_SWAPPED, ", another pair's")):
        for method in compared_methods():
            yield replace(
                metric,
                key=f"{key_of(quantity, method)}{suffix}",
                label=f"{quantity.label}, {METHODS[method].label}{shown}",
                better="none" if suffix else quantity.better,
            )
