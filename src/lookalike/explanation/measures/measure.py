"""What a measure of explanations says of itself: reports and comparisons know nothing else.

A new measure is one file with a subclass of `Measure`, and one line in `MEASURES` of
`lookalike.explanation.measures`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar, runtime_checkable

from jaxtyping import Float
from torch import Tensor

from lookalike.data import Catalog
from lookalike.explanation.interventions.masking import FILLS, Fill
from lookalike.explanation.measures.pairs import PairedPictures, same_class_pairs
from lookalike.explanation.saliency import METHODS, Method, Saliency, saliency_of
from lookalike.model import Model
from lookalike.progress import Progress
from lookalike.rendering.tables import Table, TableCell, TableColumn

Better = Literal["lower", "higher", "none"]
"""Which values of a number are better; "none" where neither are."""

ONE_GROUP = "this head has one group alone"
"""Why a measure of groups does not apply."""


@runtime_checkable
class Recorded(Protocol):
    """A result that can be written as JSON."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        ...


R = TypeVar("R", bound=Recorded)
"""One result of a measure: of one method, fill or kind of map."""


@dataclass(frozen=True, slots=True)
class Study:
    """What is measured, and on what; `of` makes one.

    Args:
        model: Whose explanations.
        catalog: Pictures that the model was not trained on.
        methods: Saliency methods, the one of most interest first.
        pairs: Pairs of one class from the catalog.
        pictures: Groups are measured on these: the whole catalog, or some of it.
        fills: What hidden cells show.
        seed: Of all draws.
        batch_size: Pictures that go through the network at once.
        earlier: Results of the measures that ran before, by their keys.
    """

    model: Model
    catalog: Catalog
    methods: tuple[Method, ...]
    pairs: PairedPictures
    pictures: Catalog
    fills: tuple[Fill, ...] = tuple(FILLS)
    seed: int = 0
    batch_size: int = 64
    earlier: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    @staticmethod
    def of(
        model: Model,
        catalog: Catalog,
        methods: Sequence[Method],
        *,
        count: int = 100,
        pictures: Catalog | None = None,
        fills: Sequence[Fill] = tuple(FILLS),
        seed: int = 0,
        batch_size: int = 64,
    ) -> "Study":
        """Draw pairs of one class and read their pictures.

        Args:
            model: As above.
            catalog: As above.
            methods: At least one.
            count: Number of pairs, at most.
            pictures: The whole catalog if None.
            fills: As above.
            seed: As above; the same seed draws the same pairs.
            batch_size: As above.

        Raises:
            UsageError: No class has two pictures, or the count is below 1.
            ImageError: A picture cannot be read; it is named.
        """
        rows = same_class_pairs(catalog, count, seed=seed)
        return Study(
            model=model,
            catalog=catalog,
            methods=tuple(methods),
            pairs=PairedPictures.read(catalog, rows, model.preprocessing, batch_size=batch_size),
            pictures=catalog if pictures is None else pictures,
            fills=tuple(fills),
            seed=seed,
            batch_size=batch_size,
        )

    def maps(
        self,
        method: Method,
        *,
        model: Model | None = None,
        a: Float[Tensor, "n 3 s s"] | None = None,
    ) -> Saliency:
        """Return a method's maps of the pairs.

        Args:
            method: One of the methods, or another.
            model: Another model to explain.
            a: Other first pictures.

        Raises:
            LookalikeError: A map holds a number that is not finite.
        """
        return saliency_of(
            method,
            model or self.model,
            self.pairs.a if a is None else a,
            self.pairs.b,
            batch_size=self.batch_size,
        )


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number that a measure gives: one for each method, or one for the model's groups.

    Args:
        key: Its name among the numbers of a comparison; the method's name follows it where the
            measure is of methods: `deletion_exact`.
        label: Its name in tables.
        meaning: In a sentence without a full stop.
        better: Which values are better.
        headline: Whether a comparison draws it and says a sentence about it.
        chance: Its value without any knowledge, which a chart marks; None if there is no such.
    """

    key: str
    label: str
    meaning: str
    better: Better = "higher"
    headline: bool = False
    chance: float | None = None


@dataclass(frozen=True, slots=True)
class Chart:
    """Something to look at on a report's page.

    Args:
        html: Inline SVG or other HTML; it is inserted as it is.
        title: Above it; empty for none.
        note: How to read it, below it; empty for none.
    """

    html: str
    title: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[R]):
    """What running a measure gave.

    Args:
        results: Empty where nothing could be measured.
        left_out: What could not be measured and why, a sentence each.
    """

    results: tuple[R, ...] = ()
    left_out: tuple[str, ...] = ()


class Measure(ABC, Generic[R]):
    """A measure of explanations: what it is, when it applies, how it runs and is shown."""

    key: ClassVar[str]
    """Its name in a report's JSON and in code: the function is called `measure_<key>`."""
    label: ClassVar[str]
    """Its name in headings and messages."""
    meaning: ClassVar[str]
    """What it measures, in sentences, for a reader of its tables."""
    quantities: ClassVar[tuple[Quantity, ...]] = ()
    """The numbers that a comparison stores."""
    of_methods: ClassVar[bool] = True
    """Whether each quantity is measured for each method; otherwise once, for the model's groups."""
    heading: ClassVar[str] = ""
    """Title of its table in a comparison; measures with the same title share a table."""
    reading: ClassVar[str] = ""
    """How to read that table, in a sentence or two."""

    def why_not(self, study: Study) -> str | None:
        """Return why the measure does not apply to a model and its pictures; None if it does."""
        return None

    @abstractmethod
    def run(self, study: Study, progress: Progress | None = None) -> Outcome[R]:
        """Measure; called only where `why_not` gives no reason."""

    def numbers(self, results: Sequence[R]) -> dict[str, float]:
        """Return what a comparison stores, by the names of its quantities."""
        return {}

    def tables(self, results: Sequence[R]) -> tuple[Table, ...]:
        """Return results as tables; the first one's definition says what the measure is."""
        return ()

    def findings(self, results: Sequence[R]) -> tuple[str, ...]:
        """Return what results say, a sentence each."""
        return ()

    def summary(self, results: Sequence[R]) -> tuple[str, ...]:
        """Return lines for a terminal: the findings, unless numbers in columns say more."""
        return self.findings(results)

    def charts(self, results: Sequence[R]) -> tuple[Chart, ...]:
        """Return what is drawn of results on a page."""
        return ()

    def procedure(self, results: Sequence[R]) -> tuple[str, ...]:
        """Return settings that the results depend on, a sentence each."""
        return ()


def method_label(name: str) -> str:
    """Return what tables call a method; one that is not registered is called by its name."""
    return METHODS[name].label if name in METHODS else name.replace("_", " ")


def measure_table(
    title: str,
    columns: Sequence[str],
    rows: Sequence[tuple[TableCell | str, ...]],
    definition: str = "",
) -> Table:
    """Lay out a table whose first column has names and whose others have numbers."""
    first, *others = columns
    laid_out = (TableColumn(first, align="left"), *(TableColumn(label) for label in others))
    return Table(title, laid_out, tuple(rows), definition)
