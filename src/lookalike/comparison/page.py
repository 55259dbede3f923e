"""A comparison as a page that stands alone."""

from pathlib import Path

from lookalike.comparison.effect_plots import effect_plots
from lookalike.comparison.explanation_plots import method_plot
from lookalike.comparison.learner_plots import histograms
from lookalike.comparison.learners import BINS
from lookalike.comparison.plots import cost_plots, dot_plot
from lookalike.comparison.report import ComparisonReport
from lookalike.rendering.pages import templates


def to_html(report: ComparisonReport) -> str:
    """Return the report as a page with plots, and no reference to anything outside it."""
    page = templates(Path(__file__).parent / "templates").get_template("comparison.html")
    effects = effect_plots(report.summary)
    return page.render(
        report=report,
        table=report.table,
        beside=report.beside,
        methods=method_plot(report.summary),
        dots=dot_plot(report.summary),
        histograms=histograms(report.summary),
        bins=BINS,
        effects=effects,
        of_one=any(line.dashed for plot in effects for line in plot.lines),
        costs=cost_plots(report.summary),
    )
