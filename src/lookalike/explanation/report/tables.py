"""The measures as tables, for pages and for Markdown alike."""

from dataclasses import dataclass

from lookalike.explanation.measures import Interval, PartShare
from lookalike.explanation.report.explanations_report import ExplanationsReport
from lookalike.explanation.report.wording import (
    FAITHFULNESS,
    FILLS,
    LOCALISATION,
    RANDOMISATION,
    STABILITY,
    label_of,
    method_label,
    span,
)
from lookalike.rendering.numbers import number

MOST_PARTS = 6
"""Where there are more parts, a table tells of all together alone."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in one place of a table: a number, and its interval in small print."""

    value: str
    small: str = ""


Row = tuple[str, tuple[Cell, ...]]


@dataclass(frozen=True, slots=True)
class Table:
    """One measure.

    Args:
        title: Its name.
        definition: What it is, in sentences; empty where the table before says it.
        columns: Their names; the first is that of the rows.
        rows: A name and as many cells as there are further columns.
    """

    title: str
    definition: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


def method_tables(report: ExplanationsReport) -> tuple[Table, ...]:
    """Lay out what was measured of methods; a measure that was left out has no table."""
    tables = (*_faithfulness(report), _randomisation(report), _localisation(report))
    return tuple(table for table in (*tables, _stability(report)) if table.rows)


def cell(interval: Interval | None) -> Cell:
    """Write an estimate and its interval; a dash where there is none."""
    return Cell("–") if interval is None else Cell(number(interval.mean), span(interval))


def _faithfulness(report: ExplanationsReport) -> list[Table]:
    tables: list[Table] = []
    for fill, shown in FILLS.items():
        rows = tuple(
            (
                label_of(each),
                tuple(
                    map(
                        cell,
                        (
                            each.deletion.area,
                            each.insertion.area,
                            each.deletion.raw_area,
                            each.insertion.raw_area,
                        ),
                    )
                ),
            )
            for each in report.faithfulness
            if each.masking.fill == fill
        )
        columns = ("map", "deletion ↓", "insertion ↑", "raw deletion", "raw insertion")
        title = f"Faithfulness, hidden cells {shown}"
        if rows:
            tables.append(Table(title, "" if tables else FAITHFULNESS, columns, rows))
    return tables


def _randomisation(report: ExplanationsReport) -> Table:
    rows = tuple(
        (
            method_label(each.method),
            (cell(each.correlations.interval), Cell(str(each.correlations.undefined))),
        )
        for each in report.randomisation
    )
    columns = ("map", "correlation", "pairs without one")
    return Table("Control: random weights", RANDOMISATION, columns, rows)


def _localisation(report: ExplanationsReport) -> Table:
    if not report.localisation:
        return Table("Localisation", LOCALISATION, (), ())
    first = report.localisation[0]
    whole = first.whole.name
    parts = first.parts if len(first.parts) <= MOST_PARTS else ()
    columns = (
        "map",
        f"peak on {whole}",
        f"mass on {whole}",
        *(f"peak on {part.name}" for part in parts),
        "maps",
    )
    rows: list[Row] = []
    for each in report.localisation:
        shares = each.parts if parts else ()
        told = (_peaks(each.whole), _mass(each.whole), *map(_peaks, shares), Cell(str(each.maps)))
        rows.append((method_label(each.of), told))
    chances = tuple(Cell(number(part.peaks_by_chance)) for part in (first.whole, *parts))
    mass = Cell(number(first.whole.mass_by_chance))
    rows.append(("by chance", (chances[0], mass, *chances[1:], Cell(""))))
    return Table("Localisation", LOCALISATION, columns, tuple(rows))


def _peaks(share: PartShare) -> Cell:
    return cell(share.peaks)


def _mass(share: PartShare) -> Cell:
    return cell(share.mass)


def _stability(report: ExplanationsReport) -> Table:
    if not report.stability:
        return Table("Stability", STABILITY, (), ())
    first = report.stability[0]
    columns = ("map", *(response.change for response in first.responses))
    rows: list[Row] = []
    for each in report.stability:
        cells = []
        for response in each.responses:
            followed, stayed = response.followed.interval, response.stayed.interval
            small = "" if stayed is None else f"in place {number(stayed.mean)}"
            cells.append(Cell(cell(followed).value, small))
        rows.append((method_label(each.method), tuple(cells)))
    changes = tuple(cell(response.score_change) for response in first.responses)
    rows.append(("change of the score", changes))
    definition = (
        f"{STABILITY} The noise has a standard deviation of {first.noise:.3g} steps of 255; the "
        f"scores of the pairs one of {first.score_spread:.3g}."
    )
    return Table("Stability", definition, columns, tuple(rows))
