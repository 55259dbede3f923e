"""A comparison with all that it takes to read and to repeat it: JSON, Markdown, page and text."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lookalike.comparison.comparison_charts import (
    cost_charts,
    effect_chart,
    learners_chart,
    maps_chart,
    metrics_chart,
)
from lookalike.comparison.comparison_tables import beside, effects, explanation_tables, main_table
from lookalike.comparison.run_measures import BINS
from lookalike.comparison.runs import Comparison
from lookalike.comparison.verdict import verdict
from lookalike.data import Catalog, shared_classes
from lookalike.data.benchmarks import BENCHMARKS
from lookalike.files import replace_text
from lookalike.rendering import tables
from lookalike.rendering.charts import to_svg
from lookalike.rendering.numbers import counted
from lookalike.rendering.pages import templates
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
    def table(self) -> Table:
        """Metrics and costs."""
        return main_table(self.comparison)

    @property
    def tables(self) -> tuple[Table, ...]:
        """The numbers on explanations, if they were measured."""
        return explanation_tables(self.comparison)

    @property
    def verdict(self) -> tuple[str, ...]:
        """What the numbers say, in sentences."""
        return verdict(self.comparison)

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """The note, paragraph by paragraph."""
        return tuple(part.strip() for part in self.note.split("\n\n") if part.strip())

    @property
    def beside(self) -> Table | None:
        """Our numbers and the published ones, if the pictures are those of a benchmark."""
        if self.benchmark is None or not self.comparison.rows:
            return None
        return beside(self.comparison, self.benchmark)

    @property
    def made(self) -> tuple[str, ...]:
        """How it was made, a sentence each."""
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        last = f"Versions: {versions}."
        rows = self.comparison.rows
        if not rows:
            return (*self.cautions, "No run was finished.", last)
        threads = sorted({row.threads for row in rows})
        words = " or ".join(map(str, threads)) + (" thread" if threads == [1] else " threads")
        seconds = duration(sum(row.seconds for row in rows))
        return (
            f"Measured on {'; '.join(dict.fromkeys(row.data for row in rows))}.",
            f"The epoch was chosen on {'; '.join(dict.fromkeys(row.selected_on for row in rows))}.",
            *self.cautions,
            f"{counted(len(rows), 'run')} took {seconds} in all, on {words}.",
            last,
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
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"


def write_results(report: ComparisonReport, target: Path, *, page: bool = False) -> list[Path]:
    """Write NAME.json, a list of rows, and NAME.md; each in one step.

    Args:
        report: What to write.
        target: A folder that exists, and NAME.
        page: Also write NAME.html.

    Returns:
        The files.
    """
    texts = {"json": to_json(report.comparison), "md": to_markdown(report)}
    if page:
        texts["html"] = to_html(report)
    files = []
    for suffix, text in texts.items():
        files.append(target.with_name(f"{target.name}.{suffix}"))
        replace_text(files[-1], text)
    return files


def to_json(comparison: Comparison) -> str:
    """Return a JSON list of the rows; see `RunRow.to_dict`."""
    rows = [row.to_dict() for row in comparison.rows]
    return json.dumps(rows, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def to_text(report: ComparisonReport) -> str:
    """Return the main columns of the tables, and what they say."""
    runs = report.comparison
    shown = (main_table(runs, short=True), *explanation_tables(runs, short=True))
    marks = "* best of its column, ≈ not told apart from it"
    return "\n".join(["\n\n".join(map(tables.to_text, shown)), marks, "", *report.verdict])


def to_markdown(report: ComparisonReport) -> str:
    """Return the report as Markdown: failures first, then tables, sentences, how it was made."""
    return "\n".join(_markdown_lines(report)) + "\n"


def to_html(report: ComparisonReport) -> str:
    """Return the report as a page with charts that needs no other file."""
    page = templates(Path(__file__).parent / "templates").get_template("comparison.html")
    runs = report.comparison
    by_key = effects(runs)
    return page.render(
        report=report,
        to_html=tables.to_html,
        to_svg=to_svg,
        bins=BINS,
        of_one=any(line.of_one for effect in by_key for line in effect.lines),
        metrics_chart=metrics_chart(runs),
        maps_chart=maps_chart(runs),
        learners_chart=learners_chart(runs),
        effect_charts=[effect_chart(effect) for effect in by_key],
        cost_charts=cost_charts(runs),
    )


def _markdown_lines(report: ComparisonReport) -> Iterator[str]:
    yield f"# {report.title}"
    if failures := report.comparison.failures:
        yield from ("", "## Runs that failed", "")
        for each in failures:
            reason = each.reason.replace("`", "'")
            yield f"- `{each.folder}`: `{reason}`"
    yield from ("", *tables.to_markdown(report.table))
    yield from ("", "## What it says", "", " ".join(report.verdict))
    for table in (*report.tables, *(effect.table for effect in effects(report.comparison))):
        yield from ("", *tables.to_markdown(table))
    if report.paragraphs:
        yield from ("", "## Reading")
        for paragraph in report.paragraphs:
            yield from ("", paragraph)
    if report.beside is not None:
        yield from ("", *tables.to_markdown(report.beside))
    yield from ("", "## How it was made", "", "```", report.command, "```", "")
    yield from (f"- {line}" for line in report.made)
    yield from ("", "## What the columns are", "")
    yield from (f"- {c.label}: {c.meaning}" for c in report.table.columns if c.meaning)
