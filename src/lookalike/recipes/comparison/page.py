"""A comparison as a page that stands alone."""

from pathlib import Path

from lookalike.pages import templates
from lookalike.recipes.comparison.plots import cost_plots, dot_plot
from lookalike.recipes.comparison.report import ComparisonReport


def to_html(report: ComparisonReport) -> str:
    """Return the report as a page with plots, and no reference to anything outside it."""
    page = templates(Path(__file__).parent / "templates").get_template("comparison.html")
    return page.render(
        report=report,
        table=report.table,
        beside=report.beside,
        dots=dot_plot(report.summary),
        costs=cost_plots(report.summary),
    )
