"""A comparison and all that it takes to read it and to make it again."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lookalike import checkpoint
from lookalike.comparison.columns import Table, table, themed_tables
from lookalike.comparison.published import Beside, beside
from lookalike.comparison.run import Comparison
from lookalike.comparison.summary import Summary, summarise
from lookalike.comparison.verdict import verdict


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """What is printed of a comparison.

    Args:
        comparison: What was run.
        title: Of the page.
        command: That makes it again.
        note: What a person says of it; blank lines part paragraphs.
        benchmark: Short name of the benchmark that the pictures are, None for others.
        cautions: What limits the numbers, a sentence each.
        versions: Of the packages that they depend on.
    """

    comparison: Comparison
    title: str
    command: str
    note: str = ""
    benchmark: str | None = None
    cautions: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=checkpoint.versions)

    @property
    def summary(self) -> Summary:
        """The runs of each variant together."""
        return summarise(self.comparison)

    @property
    def table(self) -> Table:
        """The numbers."""
        return table(self.summary)

    @property
    def tables(self) -> tuple[Table, ...]:
        """The numbers on explanations, where they were measured."""
        return themed_tables(self.summary)

    @property
    def verdict(self) -> tuple[str, ...]:
        """What the numbers say, in sentences."""
        return verdict(self.summary)

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """The note, paragraph by paragraph."""
        return tuple(part.strip() for part in self.note.split("\n\n") if part.strip())

    @property
    def beside(self) -> Beside | None:
        """Our numbers and the published ones, where the pictures are those of a benchmark."""
        if self.benchmark is None or not self.comparison.rows:
            return None
        return beside(self.summary, self.benchmark)

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


def _time(comparison: Comparison) -> str:
    """Say how long all runs took, one after the other."""
    rows = comparison.rows
    if not rows:
        return "No run was finished."
    threads = sorted({row.threads for row in rows})
    words = " or ".join(map(str, threads)) + (" thread" if threads == [1] else " threads")
    runs = "1 run" if len(rows) == 1 else f"{len(rows)} runs"
    return f"{runs} took {duration(sum(row.seconds for row in rows))} in all, on {words}."


def duration(seconds: float) -> str:
    """Write seconds so that a person can imagine them.

    >>> duration(41.3), duration(5760.0), duration(12600.0)
    ('41 seconds', '96 minutes', '3.5 hours')
    """
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    if seconds < 7200:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours"
