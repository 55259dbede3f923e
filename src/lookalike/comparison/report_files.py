"""A comparison as JSON, Markdown, a page, and text for a terminal."""

import json
from collections.abc import Iterator
from pathlib import Path

from lookalike.comparison.columns import explanation_tables, main_table
from lookalike.comparison.comparison_charts import (
    cost_charts,
    effect_chart,
    learners_chart,
    maps_chart,
    metrics_chart,
)
from lookalike.comparison.comparison_report import ComparisonReport
from lookalike.comparison.effects import effects
from lookalike.comparison.run_grid import Comparison
from lookalike.comparison.run_measures import BINS
from lookalike.files import replace_text
from lookalike.rendering import tables
from lookalike.rendering.charts import to_svg
from lookalike.rendering.pages import templates


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
    variants = report.variants
    lines = [tables.to_text(main_table(variants, short=True))]
    lines += [f"\n{tables.to_text(t)}" for t in explanation_tables(variants, short=True)]
    return "\n".join(
        [*lines, "* best of its column, ≈ not told apart from it", "", *report.verdict]
    )


def to_markdown(report: ComparisonReport) -> str:
    """Return the report as Markdown: failures first, then tables, sentences, how it was made."""
    return "\n".join(_markdown_lines(report)) + "\n"


def to_html(report: ComparisonReport) -> str:
    """Return the report as a page with charts that needs no other file."""
    page = templates(Path(__file__).parent / "templates").get_template("comparison.html")
    variants = report.variants
    by_key = effects(variants)
    single = {
        "metrics_chart": metrics_chart(variants),
        "maps_chart": maps_chart(variants),
        "learners_chart": learners_chart(variants),
    }
    return page.render(
        report=report,
        to_html=tables.to_html,
        bins=BINS,
        of_one=any(line.of_one for effect in by_key for line in effect.lines),
        effect_charts=[to_svg(effect_chart(effect)) for effect in by_key],
        cost_charts=[to_svg(chart) for chart in cost_charts(variants)],
        **{name: None if chart is None else to_svg(chart) for name, chart in single.items()},
    )


def _markdown_lines(report: ComparisonReport) -> Iterator[str]:
    yield f"# {report.title}"
    if failures := report.comparison.failures:
        yield from ("", "## Runs that failed", "")
        yield from (f"- {_code(each.folder)}: {_code(each.reason)}" for each in failures)
    yield from ("", *tables.to_markdown(report.table))
    yield from ("", "## What it says", "", " ".join(report.verdict))
    for table in (*report.tables, *(effect.table for effect in effects(report.variants))):
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


def _code(text: str) -> str:
    return f"`{text.replace('`', chr(39))}`"
