"""The measures of a report one by one: each is done, or left out with the reason."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from lookalike.data import Catalog
from lookalike.errors import UsageError
from lookalike.explanation.interventions.masking import Fill
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
    stability,
)
from lookalike.explanation.report.worst_cases import WorstCase, worst_cases
from lookalike.explanation.saliency import Method
from lookalike.model import Model
from lookalike.progress import Progress

WORST = 6
"""How many of the worst pairs are shown."""

_UNTRAINED = frozenset({"random"})
"""Methods that do not look at the model: its weights make no difference to their maps."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class About:
    """What is measured, and on how much.

    Args:
        model: Whose explanations.
        catalog: What pairs are drawn from.
        pictures: What groups are looked at on: all of the catalog, or some of it.
        methods: Of saliency, the one of most interest first.
        fills: What hidden cells show.
        count: Pairs.
        seed: Of all draws.
        batch_size: Pictures that go through the network at once.
    """

    model: Model
    catalog: Catalog
    pictures: Catalog
    methods: tuple[Method, ...]
    fills: tuple[Fill, ...]
    count: int
    seed: int
    batch_size: int

    @property
    def steps(self) -> int:
        """How many steps it takes to measure all."""
        return len(self.fills) + len(self.methods) + 5


@dataclass(slots=True)
class Log:
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


def measure_faithfulness(about: About, log: Log) -> tuple[Faithfulness, ...]:
    """Measure under each fill; one under which the score does not fall has no area."""
    found: list[Faithfulness] = []
    swapped = about.methods[:1] if about.count > 1 else ()
    for fill in about.fills:
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


def measure_worst(
    about: About, log: Log, faithful: tuple[Faithfulness, ...]
) -> tuple[WorstCase, ...]:
    """Look up the worst pairs of the first method, under the first fill that was measured."""
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


def measure_randomisation(about: About, log: Log) -> tuple[Randomisation, ...]:
    """Measure the methods that look at the model at all."""
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


def measure_stability(about: About, log: Log) -> tuple[Stability, ...]:
    """Measure all methods on the same changes."""
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


def measure_localisation(about: About, log: Log) -> tuple[Localisation, ...]:
    """Measure each method by itself: one may have maps without a value above zero."""
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


def measure_groups(about: About, log: Log) -> tuple[GroupParts, ...]:
    """Measure what lies under the peaks of both kinds of maps."""
    what = "parts under the groups' peaks"
    if not _has_groups(about, log, what) or not _parts_are_known(about, log, what):
        log.skip(1)
        return ()
    peaks = peak_parts(about.model, about.pictures, batch_size=about.batch_size)
    log.skip(1)
    return tuple(describe_groups(each, seed=about.seed) for each in peaks)


def measure_group_diversity(about: About, log: Log) -> tuple[Diversity, ...]:
    """Measure how alike both kinds of maps are."""
    if not _has_groups(about, log, "diversity"):
        log.skip(1)
        return ()
    found = measure_diversity(
        about.model, about.pictures, seed=about.seed, batch_size=about.batch_size
    )
    log.skip(1)
    return found


def _has_groups(about: About, log: Log, what: str) -> bool:
    if about.model.head.groups > 1:
        return True
    log.leave_out(what, "this head has one group alone")
    return False


def _parts_are_known(about: About, log: Log, what: str) -> bool:
    try:
        known_parts(about.catalog)
    except UsageError as error:
        log.leave_out(what, str(error))
        return False
    return True
