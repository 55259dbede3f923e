"""Recipes: whole ways from pictures to results, as functions and as YAML to edit."""

from lookalike.recipes.builtin import emoji, named, starter, summaries
from lookalike.recipes.demo import DemoResult, run_demo
from lookalike.recipes.divide import Division, divide
from lookalike.recipes.recipe import EvaluationConfig, Recipe, SplitConfig
from lookalike.recipes.run import Run, train

__all__ = [
    "DemoResult",
    "Division",
    "EvaluationConfig",
    "Recipe",
    "Run",
    "SplitConfig",
    "divide",
    "emoji",
    "named",
    "run_demo",
    "starter",
    "summaries",
    "train",
]
