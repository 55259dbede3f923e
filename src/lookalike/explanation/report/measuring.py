"""Measure all that can be measured of a model's explanations."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from lookalike.data import Catalog
from lookalike.errors import UsageError
from lookalike.explanation.gallery import Progress
from lookalike.explanation.information import Of
from lookalike.explanation.measures import (
    Diversity,
    Faithfulness,
    GroupParts,
    Localisation,
    Masking,
    Randomisation,
    Stability,
    describe_groups,
    faithfulness,
    known_parts,
    localise,
    measure_diversity,
    peak_parts,
    randomisation,
    same_class_pairs,
    stability,
)
from lookalike.explanation.measures.masking import Fill
from lookalike.explanation.report.explanations_report import ExplanationsReport
from lookalike.explanation.report.worst_cases import WorstCase, worst_cases
from lookalike.explanation.saliency import METHODS, Method
from lookalike.model import Model
from lookalike.similarity import GraphSimilarity

OTHERS = ("grad_cam", "input_gradient", "random")
"""What the exact map is held against unless told otherwise."""
WORST = 6
"""How many of the worst pairs are shown."""

_FILLS: tuple[Fill, ...] = ("blur", "mean")
_KINDS: tuple[Of, ...] = ("attention", "tokens")
_UNTRAINED = frozenset({"random"})
"""Methods that do not look at the model: its weights make no difference to their maps."""

T = TypeVar("T")


def measure_explanations(
    model: Model,
    catalog: Catalog,
    *,
    methods: Sequence[str | Method] | None = None,
    pairs: int = 100,
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
        pairs: Of pictures, at most.
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
    about = _About(model, catalog, chosen, len(drawn), seed, batch_size)
    log = _Log(progress, total=len(_FILLS) + 3 + len(chosen) + 2 * len(_KINDS))
    faithful = _faithfulness(about, log)
    return ExplanationsReport(
        model=_model_in_words(model),
        data=f"{catalog.root}: {len(catalog)} pictures of {len(catalog.classes)} classes",
        pairs=len(drawn),
        seed=seed,
        methods=tuple(method.name for method in chosen),
        faithfulness=faithful,
        worst=_worst(about, log, faithful),
        randomisation=_randomisation(about, log),
        stability=_stability(about, log),
        localisation=_localisation(about, log),
        groups=_groups(about, log),
        diversity=_diversity(about, log),
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


@dataclass(frozen=True, slots=True)
class _About:
    """What is measured, and on how much."""

    model: Model
    catalog: Catalog
    methods: tuple[Method, ...]
    count: int
    seed: int
    batch_size: int


@dataclass(slots=True)
class _Log:
    """What is done, and what was left out."""

    progress: Progress | None
    total: int
    done: int = 0
    left_out: list[str] = field(default_factory=list)

    def step(self, what: str, task: Callable[[], T]) -> T | None:
        """Do one step; what these pictures or this model cannot have is noted, and None."""
        result = None
        try:
            result = task()
        except UsageError as error:
            self.leave_out(what, str(error))
        self.skip(1)
        return result

    def skip(self, steps: int) -> None:
        """Count steps as done."""
        self.done += steps
        if self.progress is not None:
            self.progress(self.done, self.total)

    def leave_out(self, what: str, reason: str) -> None:
        """Note what is not measured, and why."""
        self.left_out.append(f"{what}: {reason}")


def _faithfulness(about: _About, log: _Log) -> tuple[Faithfulness, ...]:
    """Measure under each fill; one under which the score does not fall has no area."""
    found: list[Faithfulness] = []
    swapped = about.methods[:1] if about.count > 1 else ()
    for fill in _FILLS:
        under_fill = faithfulness(
            about.model,
            about.catalog,
            about.methods,
            count=about.count,
            masking=Masking(fill=fill),
            swapped=swapped,
            seed=about.seed,
            batch_size=about.batch_size,
        )
        drop = under_fill[0].deletion.drop
        if drop > 0:
            found += under_fill
        else:
            log.leave_out(
                f"deletion and insertion, fill {fill}",
                f"hiding a whole picture changes the score by {-drop:+.3f} on average, so there "
                "is no fall to measure",
            )
        log.skip(1)
    return tuple(found)


def _worst(about: _About, log: _Log, faithful: tuple[Faithfulness, ...]) -> tuple[WorstCase, ...]:
    cases: tuple[WorstCase, ...] = ()
    if faithful:
        cases = worst_cases(
            about.model,
            about.catalog,
            about.methods[0],
            faithful[0],
            count=WORST,
            batch_size=about.batch_size,
        )
    log.skip(1)
    return cases


def _randomisation(about: _About, log: _Log) -> tuple[Randomisation, ...]:
    methods = [method for method in about.methods if method.name not in _UNTRAINED]
    if not methods:
        log.skip(1)
        return ()
    measure = partial(
        randomisation,
        about.model,
        about.catalog,
        methods,
        count=about.count,
        seed=about.seed,
        batch_size=about.batch_size,
    )
    return log.step("random weights", measure) or ()


def _stability(about: _About, log: _Log) -> tuple[Stability, ...]:
    measure = partial(
        stability,
        about.model,
        about.catalog,
        about.methods,
        count=about.count,
        seed=about.seed,
        batch_size=about.batch_size,
    )
    return log.step("stability", measure) or ()


def _localisation(about: _About, log: _Log) -> tuple[Localisation, ...]:
    if not _parts_are_known(about, log, "localisation"):
        log.skip(len(about.methods))
        return ()
    found: list[Localisation] = []
    for method in about.methods:
        measure = partial(
            localise,
            about.model,
            about.catalog,
            [method],
            count=about.count,
            seed=about.seed,
            batch_size=about.batch_size,
        )
        found += log.step(f"localisation, {method.name}", measure) or ()
    return tuple(found)


def _groups(about: _About, log: _Log) -> tuple[GroupParts, ...]:
    what = "parts under the groups' peaks"
    if not _has_groups(about, log, what) or not _parts_are_known(about, log, what):
        log.skip(len(_KINDS))
        return ()
    found = []
    for of in _KINDS:
        peaks = peak_parts(about.model, about.catalog, of=of, batch_size=about.batch_size)
        found.append(describe_groups(peaks, seed=about.seed))
        log.skip(1)
    return tuple(found)


def _diversity(about: _About, log: _Log) -> tuple[Diversity, ...]:
    if not _has_groups(about, log, "diversity"):
        log.skip(len(_KINDS))
        return ()
    found = []
    for of in _KINDS:
        found.append(
            measure_diversity(
                about.model, about.catalog, of=of, seed=about.seed, batch_size=about.batch_size
            )
        )
        log.skip(1)
    return tuple(found)


def _has_groups(about: _About, log: _Log, what: str) -> bool:
    if about.model.head.groups > 1:
        return True
    log.leave_out(what, "this head has one group alone")
    return False


def _parts_are_known(about: _About, log: _Log, what: str) -> bool:
    try:
        known_parts(about.catalog)
    except UsageError as error:
        log.leave_out(what, str(error))
        return False
    return True


def _model_in_words(model: Model) -> str:
    config, groups = model.config, model.head.groups
    each = "1 group" if groups == 1 else f"{groups} groups"
    return f"{config.head.kind} head of {each} on {config.backbone.kind}"
