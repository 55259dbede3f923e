"""Measure everything that can be measured of a model's explanations."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lookalike.data import Catalog
from lookalike.errors import UsageError
from lookalike.explanation.interventions.masking import FILLS, Fill
from lookalike.explanation.measures import MEASURES, Measure, Outcome, Study
from lookalike.explanation.report.explanations_report import ExplanationsReport
from lookalike.explanation.saliency import Method, choose_methods, default_methods
from lookalike.model import Model
from lookalike.progress import Progress

_STEPS = 12
"""Steps of progress in each measure."""


def measure_explanations(
    model: Model,
    catalog: Catalog,
    *,
    methods: Sequence[str | Method] | None = None,
    fills: Sequence[Fill] = tuple(FILLS),
    pairs: int = 100,
    pictures: int | None = None,
    seed: int = 0,
    batch_size: int = 64,
    progress: Progress | None = None,
) -> ExplanationsReport:
    """Measure methods on pairs of one class, and the model's groups on all pictures.

    Every measure of `MEASURES` is run. Most of the time goes into deletion and insertion, see
    `measure_faithfulness`: with four methods about 420 masked pictures a pair. What the model or
    the pictures do not allow is left out, for instance localisation where no object parts are
    known, and the report says so.

    Args:
        model: Whose explanations.
        catalog: Pictures that the model was not trained on.
        methods: Names of `METHODS`, or methods of your own; the first is the one of most interest:
            its worst pairs are shown. None is `default_methods`.
        fills: What hidden cells show.
        pairs: Number of pairs, at most.
        pictures: Number of pictures for measures of groups, at most, drawn at random; None is all.
        seed: Of all draws.
        batch_size: Pictures that go through the network at once.
        progress: Called with the number of steps done and of all steps.

    Raises:
        UsageError: There is no such method, none at all or one twice; no class has two pictures;
            or fewer than one pair is asked for.
        ImageError: A picture cannot be read; it is named.
        LookalikeError: A map is not finite.
    """
    chosen = choose_methods(default_methods(model) if methods is None else methods)
    study = Study.of(
        model,
        catalog,
        chosen,
        count=pairs,
        pictures=_some(catalog, pictures, seed=seed),
        fills=fills,
        seed=seed,
        batch_size=batch_size,
    )
    results: dict[str, tuple[Any, ...]] = {}
    left_out: list[str] = []
    for number, (key, measure) in enumerate(MEASURES.items()):
        done = _piece(progress, number)
        outcome = _run(measure, replace(study, earlier=results), done)
        results[key] = outcome.results
        left_out += outcome.left_out
        done(1, 1)
    return ExplanationsReport(
        model=_model_in_words(model),
        data=f"{catalog.root}: {len(catalog)} pictures of {len(catalog.classes)} classes",
        pairs=len(study.pairs),
        seed=seed,
        methods=tuple(method.name for method in chosen),
        results=results,
        left_out=tuple(left_out),
    )


def _run(measure: Measure[Any], study: Study, progress: Progress) -> Outcome[Any]:
    """Run a measure; where the model or the pictures do not allow it, say why."""
    reason = measure.why_not(study)
    if reason is None:
        try:
            return measure.run(study, progress)
        except UsageError as error:
            reason = str(error)
    return Outcome(left_out=(f"{measure.label}: {reason}",))


def _piece(progress: Progress | None, number: int) -> Progress:
    """Return the callback for one measure: all measures have the same number of steps."""

    def report(done: int, total: int) -> None:
        if progress is not None:
            progress(number * _STEPS + _STEPS * done // total, len(MEASURES) * _STEPS)

    return report


def _some(catalog: Catalog, count: int | None, *, seed: int) -> Catalog:
    """Return some pictures, drawn at random and in their order; all where there are no more."""
    if count is None or count >= len(catalog):
        return catalog
    drawn = np.random.default_rng(seed).choice(len(catalog), size=count, replace=False)
    return catalog.subset(np.sort(drawn))


def _model_in_words(model: Model) -> str:
    config, groups = model.config, model.head.groups
    each = "1 group" if groups == 1 else f"{groups} groups"
    return f"{config.head.kind} head of {each} on {config.backbone.kind}"
