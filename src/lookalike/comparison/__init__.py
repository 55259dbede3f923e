"""Comparisons: a grid of recipes and seeds on the same pictures, as one table."""

from lookalike.comparison.compare_recipes import compare, run_grid
from lookalike.comparison.comparison_report import (
    ComparisonReport,
    to_html,
    to_json,
    to_markdown,
    to_text,
    write_results,
)
from lookalike.comparison.grid import PlannedRun, grid, with_value
from lookalike.comparison.run_measures import (
    RUN_MEASURES,
    Measurand,
    MeasureRun,
    flops,
    milliseconds_per_image,
    parameters,
)
from lookalike.comparison.runs import Comparison, FailedRun, RunRow

__all__ = [
    "RUN_MEASURES",
    "Comparison",
    "ComparisonReport",
    "FailedRun",
    "Measurand",
    "MeasureRun",
    "PlannedRun",
    "RunRow",
    "compare",
    "flops",
    "grid",
    "milliseconds_per_image",
    "parameters",
    "run_grid",
    "to_html",
    "to_json",
    "to_markdown",
    "to_text",
    "with_value",
    "write_results",
]
