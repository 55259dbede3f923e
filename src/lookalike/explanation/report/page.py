"""A report on explanations as a page that stands alone."""

from pathlib import Path

from lookalike.explanation.report.curve_plots import area_plot, case_plot, curve_plots
from lookalike.explanation.report.explanations_report import ExplanationsReport
from lookalike.explanation.report.group_tables import group_tables
from lookalike.explanation.report.summary import findings, procedure
from lookalike.explanation.report.tables import method_tables
from lookalike.explanation.report.wording import FAITHFULNESS, method_label
from lookalike.explanation.report.worst_cases import SIDE, WorstCase
from lookalike.rendering.numbers import number
from lookalike.rendering.overlays import data_uri, limit_of, overlay, ramp, scaled
from lookalike.rendering.pages import templates


def to_html(report: ExplanationsReport) -> str:
    """Return areas, curves, worst cases and tables, with no reference to anything outside."""
    here = templates(Path(__file__).parent / "templates")
    here.filters["number"] = number
    here.filters["method"] = method_label
    return here.get_template("explanations.html").render(
        report=report,
        findings=findings(report),
        definition=FAITHFULNESS,
        areas=area_plot(report),
        plots=curve_plots(report),
        cases=[(case, case_plot(case), _pictures(case)) for case in report.worst],
        tables=(*method_tables(report), *group_tables(report)),
        procedure=procedure(report),
        ramp=ramp(41).tolist(),
    )


def _pictures(case: WorstCase) -> list[tuple[str, str, str]]:
    """Return the name of each picture, the picture, and the picture under its map."""
    limit = limit_of(*case.maps)
    return [
        (
            shown.label,
            data_uri(scaled(shown.picture, SIDE)),
            data_uri(overlay(shown.picture, values, shown.geometry, limit=limit, side=SIDE)),
        )
        for shown, values in zip(case.pictures, case.maps, strict=True)
    ]
