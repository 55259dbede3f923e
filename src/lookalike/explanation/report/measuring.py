"""Measure all that can be measured of a model's explanations."""

from collections.abc import Sequence

import numpy as np

from lookalike.data import Catalog
from lookalike.errors import UsageError
from lookalike.explanation.interventions.masking import Fill
from lookalike.explanation.measures import same_class_pairs
from lookalike.explanation.report.explanations_report import ExplanationsReport
from lookalike.explanation.report.steps import (
    About,
    Log,
    measure_faithfulness,
    measure_group_diversity,
    measure_groups,
    measure_localisation,
    measure_randomisation,
    measure_stability,
    measure_worst,
)
from lookalike.explanation.report.wording import FILLS
from lookalike.explanation.saliency import METHODS, Method
from lookalike.model import Model
from lookalike.progress import Progress
from lookalike.similarity import GraphSimilarity

OTHERS = ("grad_cam", "input_gradient", "random")
"""What the exact map is held against unless told otherwise."""


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

    Most of the time goes into deletion and insertion, see `faithfulness`: with four methods some
    420 masked pictures a pair. What the model or the pictures cannot have, such as parts where
    none are known, is left out, and the report says so.

    Args:
        model: Whose explanations.
        catalog: Pictures that the model was not trained on.
        methods: Names of `METHODS`, or methods of one's own; the first is the one of most
            interest: its worst pairs are shown. None is what `default_methods` gives.
        fills: What hidden cells show.
        pairs: Of pictures, at most.
        pictures: That groups are looked at on, at most, drawn at random; None is all.
        seed: Of all draws.
        batch_size: Pictures that go through the network at once.
        progress: Told how many steps are done, of how many.

    Raises:
        UsageError: There is no such method, none or one twice; no class has two pictures; or
            fewer than one pair is asked for.
        ImageError: A picture cannot be read; it is named.
        LookalikeError: A map is not finite.
    """
    chosen = choose_methods(default_methods(model) if methods is None else methods)
    drawn = same_class_pairs(catalog, pairs, seed=seed)
    about = About(
        model=model,
        catalog=catalog,
        pictures=_some(catalog, pictures, seed=seed),
        methods=chosen,
        fills=tuple(fills),
        count=len(drawn),
        seed=seed,
        batch_size=batch_size,
    )
    log = Log(progress, total=about.steps)
    faithful = measure_faithfulness(about, log)
    return ExplanationsReport(
        model=_model_in_words(model),
        data=f"{catalog.root}: {len(catalog)} pictures of {len(catalog.classes)} classes",
        pairs=len(drawn),
        seed=seed,
        methods=tuple(method.name for method in chosen),
        faithfulness=faithful,
        worst=measure_worst(about, log, faithful),
        randomisation=measure_randomisation(about, log),
        stability=measure_stability(about, log),
        localisation=measure_localisation(about, log),
        groups=measure_groups(about, log),
        diversity=measure_group_diversity(about, log),
        left_out=tuple(log.left_out),
    )


def default_methods(model: Model) -> tuple[str, ...]:
    """Return the names of the methods that are measured unless told otherwise.

    The exact map comes first. In a graph's, which splits a distance, empty ground is highest; so
    there what the pictures share is measured too.
    """
    exact = ("exact", "shared") if isinstance(model.similarity, GraphSimilarity) else ("exact",)
    return (*exact, *OTHERS)


def choose_methods(methods: Sequence[str | Method]) -> tuple[Method, ...]:
    """Return methods by their names; those that are methods already stay.

    Raises:
        UsageError: There is no such method, none at all, or one twice.
    """
    unknown = [name for name in methods if isinstance(name, str) and name not in METHODS]
    if unknown or not methods:
        asked = f"there is no method {unknown[0]!r}" if unknown else "there is no method to measure"
        raise UsageError(f"{asked}; there are {', '.join(METHODS)}")
    chosen = tuple(METHODS[each] if isinstance(each, str) else each for each in methods)
    names = [method.name for method in chosen]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UsageError(f"the method {twice[0]!r} is asked for twice; name each once")
    return chosen


def _some(catalog: Catalog, count: int | None, *, seed: int) -> Catalog:
    """Return so many pictures, drawn at random and in their order; all where there are no more."""
    if count is None or count >= len(catalog):
        return catalog
    drawn = np.random.default_rng(seed).choice(len(catalog), size=count, replace=False)
    return catalog.subset(np.sort(drawn))


def _model_in_words(model: Model) -> str:
    config, groups = model.config, model.head.groups
    each = "1 group" if groups == 1 else f"{groups} groups"
    return f"{config.head.kind} head of {each} on {config.backbone.kind}"
