"""A report on explanations as a page: a section for each measure."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lookalike.explanation.measures import Chart, Measure
from lookalike.explanation.report.explanations_report import ExplanationsReport
from lookalike.rendering.forms import page_of
from lookalike.rendering.pages import templates
from lookalike.rendering.tables import to_html as table_to_html


@dataclass(frozen=True, slots=True)
class Section:
    """What a page shows of one measure.

    Args:
        title: Its heading.
        definition: What it measures.
        charts: Drawn first.
        tables: As HTML.
    """

    title: str
    definition: str
    charts: tuple[Chart, ...]
    tables: tuple[str, ...]


@page_of.register(ExplanationsReport)
def report_page(report: ExplanationsReport) -> str:
    """Return findings, charts and tables, with no reference to anything outside the page."""
    page = templates(Path(__file__).parent / "templates").get_template("explanations.html")
    sections = [_section(measure, results) for measure, results in report.measured()]
    return page.render(report=report, sections=sections)


def _section(measure: Measure[Any], results: tuple[Any, ...]) -> Section:
    tables = measure.tables(results)
    title = measure.label[0].upper() + measure.label[1:]
    if len(tables) == 1:
        title = tables[0].title
        tables = (replace(tables[0], title=""),)
    definition = (tables[0].definition if tables else "") or measure.meaning
    bare = (replace(table, definition="") for table in tables)
    written = tuple(table_to_html(table, heading="h3") for table in bare)
    return Section(title, definition, measure.charts(results), written)
