"""How good a run's explanations are: the measures of a report on explanations, as numbers."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from lookalike.comparison.measurand import Measurand
from lookalike.comparison.row import MEASURED_ON, Row
from lookalike.comparison.themes import COMPARED, THEMES
from lookalike.explanation.report import (
    ExplanationsReport,
    default_methods,
    measure_explanations,
)

OF_MAPS = "tokens"
"""Maps of groups that are measured: every head has them, and they are the ones it is made of."""
PAIRS = 50
"""How many pairs of one class are measured unless told otherwise."""
PICTURES = 512
"""How many pictures groups are looked at on, at most."""
CHANGES = {"shift by a cell": "shift", "flip": "flip", "scale": "scale", "noise": "noise"}
"""The changes of a picture that maps should follow, and their names among the measures."""


def explanation_measures(run: Measurand, *, pairs: int = PAIRS) -> Mapping[str, float]:
    """Measure a run's explanations: the exact maps and Grad-CAM's, and the groups.

    Hidden cells are blurred. With 50 pairs some 6,000 masked pictures go through the network.
    What the model or the pictures cannot have is not among the results. Pairs are drawn with the
    run's seed: the same for all variants of a seed, others for the next.

    Args:
        run: The model and its test pictures.
        pairs: At most.

    Returns:
        Numbers by name, see `lookalike.comparison.themes`, and `explanation_pairs`.

    Raises:
        UsageError: No class has two pictures.
        ImageError: A picture cannot be read; it is named.
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


def lacks_explanations(row: Row, pairs: int) -> bool:
    """Say whether a row's explanations were not measured, or on another number of pairs."""
    return row.measures.get(MEASURED_ON) != pairs


def with_explanations(row: Row, run: Measurand, *, pairs: int) -> Row:
    """Measure a run's explanations and put them into its row, in place of earlier ones."""
    names = {name for theme in THEMES for name, _, _ in theme.measures}
    others = {name: value for name, value in row.measures.items() if name not in names}
    return replace(row, measures={**others, **explanation_measures(run, pairs=pairs)})


def _numbers(report: ExplanationsReport) -> Iterator[tuple[str, float]]:
    for curves in report.faithfulness:
        name = f"{curves.method}_of_another_pair" if curves.swapped else curves.method
        yield f"deletion_{name}", curves.deletion.area.mean
        yield f"insertion_{name}", curves.insertion.area.mean
    for control in report.randomisation:
        if interval := control.correlations.interval:
            yield f"random_weights_{control.method}", interval.mean
    for where in report.localisation:
        yield f"pointing_{where.of}", where.whole.peaks.mean
        yield f"mass_{where.of}", where.whole.mass.mean
    for steady in report.stability:
        for response in steady.responses:
            interval = response.followed.interval
            if response.change in CHANGES and interval is not None:
                yield f"{CHANGES[response.change]}_{steady.method}", interval.mean
    yield from _of_groups(report)


def _of_groups(report: ExplanationsReport) -> Iterator[tuple[str, float]]:
    for parts in (each for each in report.groups if each.peaks.of == OF_MAPS):
        yield "group_purity", float(parts.purity.mean())
        same, other = float(parts.same_class.mean()), float(parts.other_class.mean())
        if same == same and other == other:  # there are pairs of either kind
            yield "group_same_class", same
            yield "group_other_class", other
    for diversity in (each for each in report.diversity if each.of == OF_MAPS):
        named = {
            "group_map_cosine": diversity.map_cosine,
            "group_map_overlap": diversity.map_overlap,
            "group_vector_cosine": diversity.vector_cosine,
        }
        yield from ((name, each.mean) for name, each in named.items() if each is not None)
