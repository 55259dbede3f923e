"""Comparisons: a grid of recipes and seeds on the same pictures, as one table."""

from lookalike.comparison.cost import flops, milliseconds_per_image, parameters
from lookalike.comparison.grid import Planned, grid, varied
from lookalike.comparison.measurand import Measurand, Measure
from lookalike.comparison.report import ComparisonReport
from lookalike.comparison.results import write_results
from lookalike.comparison.row import Row
from lookalike.comparison.run import Comparison, Failure, compare

__all__ = [
    "Comparison",
    "ComparisonReport",
    "Failure",
    "Measurand",
    "Measure",
    "Planned",
    "Row",
    "compare",
    "flops",
    "grid",
    "milliseconds_per_image",
    "parameters",
    "varied",
    "write_results",
]
