"""How good a model's explanations are, all measures in one report."""

from lookalike.explanation.report import page as page  # registers how a report is shown
from lookalike.explanation.report.explanations_report import ExplanationsReport
from lookalike.explanation.report.measuring import measure_explanations

__all__ = ["ExplanationsReport", "measure_explanations"]
