"""A comparison as lines of text, for a terminal."""

from lookalike.comparison.columns import COSTS, MEASURES, Cell, Table
from lookalike.comparison.report import ComparisonReport

LEFT_OUT = {*MEASURES, COSTS[-1].key} - {"recall_at_1", "map_at_r", "nmi"}
"""Columns that only the files have, as they have descriptive ones: a terminal is narrow."""


def to_text(report: ComparisonReport) -> str:
    """Return the main columns of the tables, and what they say."""
    tables = [_lines(report.table)]
    for table in report.tables:
        if not all(column.descriptive for column in table.columns):
            tables.append(["", table.title, *_lines(table)])
    lines = [line for table in tables for line in table]
    return "\n".join(
        [*lines, "* best of its column, ≈ not told apart from it", "", *report.verdict]
    )


def _lines(table: Table) -> list[str]:
    """Return a table's heading and rows, its columns below each other."""
    shown = [
        place
        for place, column in enumerate(table.columns)
        if column.key not in LEFT_OUT and not column.descriptive
    ]
    head = ["variant", "seeds", *(table.columns[i].label for i in shown)]
    body = [[name, runs, *(_cell(cells[i]) for i in shown)] for name, runs, cells in table.rows]
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    return [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])])
        for row in (head, *body)
    ]


def _cell(cell: Cell) -> str:
    sign = {"best": "* ", "near": "≈ ", "": ""}[cell.mark]
    return f"{sign}{cell.value} {cell.spread}".rstrip()
