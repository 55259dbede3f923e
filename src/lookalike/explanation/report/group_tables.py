"""What was measured of groups as tables."""

import math

from lookalike.explanation.measures import GroupParts
from lookalike.explanation.report.explanations_report import ExplanationsReport
from lookalike.explanation.report.tables import Cell, Row, Table, cell
from lookalike.explanation.report.wording import DIVERSITY, GROUPS
from lookalike.rendering.numbers import number, percent

MOST_GROUPS = 16
"""Groups that are told one by one; the JSON has all."""


def group_tables(report: ExplanationsReport) -> tuple[Table, ...]:
    """Lay out what was measured of groups; a measure that was left out has no table."""
    tables = [_information(report), *map(_each_group, report.groups), _diversity(report)]
    return tuple(table for table in tables if table.rows)


def _information(report: ExplanationsReport) -> Table:
    columns = ("maps", "information, bits", "by chance", "at most", "purity", "same class", "other")
    rows = tuple(
        (
            parts.peaks.of,
            (
                Cell(number(parts.information)),
                Cell(number(parts.information_by_chance)),
                Cell(number(math.log2(len(parts.purity)))),
                Cell(number(parts.purity.mean())),
                Cell(number(parts.same_class.mean())),
                Cell(number(parts.other_class.mean())),
            ),
        )
        for parts in report.groups
    )
    return Table("Groups and parts", GROUPS, columns, rows)


def _each_group(parts: GroupParts) -> Table:
    """Tell what each group peaks on, and how often on each part."""
    names = parts.peaks.columns
    groups = len(parts.purity)
    shown = min(groups, MOST_GROUPS)
    counts = parts.peaks.counts / len(parts.peaks.codes)
    rows: list[Row] = []
    for group in range(shown):
        shares = (Cell(percent(share)) for share in counts[group])
        agreement = (Cell(number(v[group])) for v in (parts.same_class, parts.other_class))
        rows.append((f"group {group}", (*shares, *agreement)))
    chance = (Cell(percent(share)) for share in parts.peaks.chance)
    rows.append(("any cell", (*chance, Cell(""), Cell(""))))
    some = f"the first {shown} of {groups}" if shown < groups else f"all {groups}"
    title = f"Where the {parts.peaks.of} of groups peak, {some}"
    columns = ("group", *names, "same class", "other class")
    return Table(title, "", columns, tuple(rows))


def _diversity(report: ExplanationsReport) -> Table:
    columns = ("maps", "cosine of maps", "overlap", "cosine of vectors", "its spread")
    rows = tuple(
        (
            each.of,
            (
                cell(each.map_cosine),
                cell(each.map_overlap),
                cell(each.vector_cosine),
                Cell("–" if each.vector_spread is None else number(each.vector_spread)),
            ),
        )
        for each in report.diversity
    )
    return Table("Diversity of groups", DIVERSITY, columns, rows)
