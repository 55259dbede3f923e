"""A report on explanations as Markdown."""

from collections.abc import Iterator, Sequence

from lookalike.explanation.report.explanations_report import ExplanationsReport
from lookalike.explanation.report.group_tables import group_tables
from lookalike.explanation.report.summary import findings, procedure
from lookalike.explanation.report.tables import Cell, Table, method_tables
from lookalike.rendering.numbers import number


def to_markdown(report: ExplanationsReport) -> str:
    """Return the report as Markdown: what it says, then a table for each measure."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: ExplanationsReport) -> Iterator[str]:
    yield from ("# How good the explanations are", "")
    yield from (f"- {finding}" for finding in findings(report))
    for table in (*method_tables(report), *group_tables(report)):
        yield from _table(table)
    if report.worst:
        yield from _worst(report)
    if report.left_out:
        yield from ("", "## Left out", "")
        yield from (f"- {reason}" for reason in report.left_out)
    yield from ("", "## How it was measured", "")
    yield from (f"- {line}" for line in procedure(report))


def _table(table: Table) -> Iterator[str]:
    yield from ("", f"## {table.title}", "")
    if table.definition:
        yield from (table.definition, "")
    yield _row(table.columns)
    yield _row(("---", *["---:"] * (len(table.columns) - 1)))
    for name, cells in table.rows:
        yield _row((name, *map(_cell, cells)))


def _worst(report: ExplanationsReport) -> Iterator[str]:
    yield from ("", "## Worst pairs", "")
    yield _row(("class", "A", "B", "deletion area"))
    yield _row(("---", "---", "---", "---:"))
    for case in report.worst:
        a, b = case.pictures
        yield _row((case.label, a.name, b.name, number(case.area)))


def _cell(cell: Cell) -> str:
    return f"{cell.value} {cell.small}".strip()


def _row(cells: Sequence[str]) -> str:
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"
