"""A comparison as Markdown."""

from collections.abc import Iterator, Sequence

from lookalike.comparison.columns import Cell, Table
from lookalike.comparison.effects import Effect, effects
from lookalike.comparison.published import Beside
from lookalike.comparison.report import ComparisonReport
from lookalike.comparison.summary import spread
from lookalike.evaluation import OverSeeds


def to_markdown(report: ComparisonReport) -> str:
    """Return the report as Markdown: failures first, then the table, what it says, how it came."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: ComparisonReport) -> Iterator[str]:
    table = report.table
    yield f"# {report.title}"
    yield from _failures(report)
    yield from ("", *_table(table), "")
    yield from (f"- {line}" for line in table.legend)
    yield from ("", "## What it says", "", " ".join(report.verdict))
    for more in report.tables:
        yield from ("", f"## {more.title}", "", *_table(more), "")
        yield from (f"- {line}" for line in more.legend)
    for effect in effects(report.summary):
        yield from _effect(effect)
    if report.paragraphs:
        yield from ("", "## Reading")
        for paragraph in report.paragraphs:
            yield from ("", paragraph)
    if report.beside is not None:
        yield from _beside(report.beside)
    yield from ("", "## How it was made", "", "```", report.command, "```", "")
    yield from (f"- {line}" for line in report.made)
    yield from ("", "## What the columns are", "")
    yield from (f"- {c.label}: {c.meaning}" for c in table.columns if c.meaning)


def _failures(report: ComparisonReport) -> Iterator[str]:
    failures = report.comparison.failures
    if failures:
        yield from ("", "## Runs that failed", "")
        yield from (f"- {_code(each.folder)}: {_code(each.reason)}" for each in failures)


def _table(table: Table) -> Iterator[str]:
    head = ("variant", "seeds", *(column.label for column in table.columns))
    yield _row(head)
    yield _row(("---", *["---:"] * (len(head) - 1)))
    for name, runs, cells in table.rows:
        yield _row((name, runs, *map(_cell, cells)))


def _cell(cell: Cell) -> str:
    value = f"**{cell.value}**" if cell.mark == "best" else cell.value
    near = "≈" if cell.mark == "near" else ""
    return " ".join(part for part in (value, cell.spread, near) if part)


def _effect(effect: Effect) -> Iterator[str]:
    yield from ("", f"## {effect.title}", "")
    yield _row(("", *effect.values))
    yield _row(("---", *["---:"] * len(effect.values)))
    for line in effect.lines:
        yield _row((line.name, *map(_over_seeds, line.values)))


def _over_seeds(values: OverSeeds | None) -> str:
    if values is None:
        return "–"
    own = spread(values)
    return f"{values.mean:.3f}" if own is None else f"{values.mean:.3f} ± {own:.3f}"


def _beside(shown: Beside) -> Iterator[str]:
    yield from ("", f"## Published on {shown.title}", "")
    yield from (f"{note}\n" for note in shown.notes)
    recalls = [f"R@{k}" for k in shown.ks]
    yield _row(("method", "backbone", "dim", *recalls, "NMI", "F1", "epoch chosen on", "from"))
    yield _row(("---", "---", *["---:"] * (len(recalls) + 3), "---", "---"))
    for line in shown.lines:
        method = f"**{line.method}** (ours)" if line.ours else line.method
        words = (line.selected, line.source)
        yield _row((method, line.backbone, line.dim, *line.recalls, line.nmi, line.f1, *words))


def _row(cells: Sequence[str]) -> str:
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def _code(text: str) -> str:
    return f"`{text.replace('`', chr(39))}`"
