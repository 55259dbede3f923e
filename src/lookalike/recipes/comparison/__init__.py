"""Comparisons: a grid of recipes and seeds on the same pictures, as one table."""

from lookalike.recipes.comparison.cost import flops, milliseconds_per_image, parameters
from lookalike.recipes.comparison.grid import Planned, grid, varied
from lookalike.recipes.comparison.measurand import Measurand, Measure
from lookalike.recipes.comparison.report import ComparisonReport
from lookalike.recipes.comparison.results import write_results
from lookalike.recipes.comparison.row import Row
from lookalike.recipes.comparison.run import Comparison, Failure, compare

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
