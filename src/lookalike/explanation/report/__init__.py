"""How good a model's explanations are, all measures in one report."""

from lookalike.explanation.report.explanations_report import ExplanationsReport
from lookalike.explanation.report.measuring import (
    choose_methods,
    default_methods,
    measure_explanations,
)
from lookalike.explanation.report.worst_cases import WorstCase

__all__ = [
    "ExplanationsReport",
    "WorstCase",
    "choose_methods",
    "default_methods",
    "measure_explanations",
]
