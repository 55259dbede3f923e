"""A comparison with all that it takes to read it and to repeat it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lookalike.comparison.columns import explanation_tables, main_table
from lookalike.comparison.published import beside
from lookalike.comparison.run_grid import Comparison
from lookalike.comparison.variants import Variants, by_variant
from lookalike.comparison.verdict import verdict
from lookalike.data import Catalog, shared_classes
from lookalike.data.benchmarks import BENCHMARKS
from lookalike.rendering.numbers import counted
from lookalike.rendering.tables import Table
from lookalike.versions import training_versions


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """A comparison, ready to be written.

    Args:
        comparison: The runs.
        title: Of the page.
        command: The command that repeats it.
        note: Remarks of a person; blank lines separate paragraphs.
        benchmark: Short name of the benchmark that the pictures are from; None for others.
        cautions: What limits the numbers, a sentence each.
        versions: Of the packages that the numbers depend on.
    """

    comparison: Comparison
    title: str
    command: str
    note: str = ""
    benchmark: str | None = None
    cautions: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=training_versions)

    @property
    def variants(self) -> Variants:
        """The runs by variant."""
        return by_variant(self.comparison)

    @property
    def table(self) -> Table:
        """Metrics and costs."""
        return main_table(self.variants)

    @property
    def tables(self) -> tuple[Table, ...]:
        """The numbers on explanations, if they were measured."""
        return explanation_tables(self.variants)

    @property
    def verdict(self) -> tuple[str, ...]:
        """What the numbers say, in sentences."""
        return verdict(self.variants)

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """The note, paragraph by paragraph."""
        return tuple(part.strip() for part in self.note.split("\n\n") if part.strip())

    @property
    def beside(self) -> Table | None:
        """Our numbers and the published ones, if the pictures are those of a benchmark."""
        if self.benchmark is None or not self.comparison.rows:
            return None
        return beside(self.variants, self.benchmark)

    @property
    def made(self) -> tuple[str, ...]:
        """How it was made, a sentence each."""
        rows = self.comparison.rows
        data = "; ".join(dict.fromkeys(row.data for row in rows))
        selected = "; ".join(dict.fromkeys(row.selected_on for row in rows))
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        return (
            *((f"Measured on {data}.", f"The epoch was chosen on {selected}.") if rows else ()),
            *self.cautions,
            _time(self.comparison),
            f"Versions: {versions}.",
        )


def cautions(catalog: Catalog, benchmark: str | None = None) -> tuple[str, ...]:
    """Say what a reader must know of the pictures, a sentence each; usually nothing.

    Args:
        catalog: All pictures of the comparison.
        benchmark: Short name of the benchmark that they are said to be.
    """
    said = []
    if not catalog.split_names:
        said.append(
            "The pictures have no split of their own: each seed divides the classes anew, and the "
            "spreads are over divisions too."
        )
    if shared := shared_classes(catalog):
        said.append(
            f"WARNING: {len(shared)} classes are in train and in test: the numbers say little "
            "about classes that a model has never seen."
        )
    if benchmark is not None:
        whole = sum(part.images for part in BENCHMARKS[benchmark].published)
        if len(catalog) != whole:
            said.append(
                f"WARNING: only {len(catalog)} of {whole} pictures of "
                f"{BENCHMARKS[benchmark].title} are there: the numbers cannot be compared with "
                "published ones."
            )
    return tuple(said)


def duration(seconds: float) -> str:
    """Write a time for people.

    >>> duration(41.3), duration(5760.0), duration(12600.0)
    ('41 seconds', '96 minutes', '3.5 hours')
    """
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    if seconds < 7200:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours"


def _time(comparison: Comparison) -> str:
    """Say how long all runs took, one after the other."""
    rows = comparison.rows
    if not rows:
        return "No run was finished."
    threads = sorted({row.threads for row in rows})
    words = " or ".join(map(str, threads)) + (" thread" if threads == [1] else " threads")
    seconds = duration(sum(row.seconds for row in rows))
    return f"{counted(len(rows), 'run')} took {seconds} in all, on {words}."
