"""Recipes: whole ways from pictures to results, as functions and as YAML to edit."""

from lookalike.recipes.avsl import avsl
from lookalike.recipes.builtin import (
    emoji,
    emoji_ensemble,
    every,
    families,
    named,
    starter,
    summaries,
)
from lookalike.recipes.demo import DemoResult, run_demo
from lookalike.recipes.divide import Division, divide
from lookalike.recipes.ensemble import abe, m_heads
from lookalike.recipes.grouping import attentive_grouping, grouping
from lookalike.recipes.recipe import EvaluationConfig, Recipe, SplitConfig
from lookalike.recipes.run import Run, train

__all__ = [
    "DemoResult",
    "Division",
    "EvaluationConfig",
    "Recipe",
    "Run",
    "SplitConfig",
    "abe",
    "attentive_grouping",
    "avsl",
    "divide",
    "emoji",
    "emoji_ensemble",
    "every",
    "families",
    "grouping",
    "m_heads",
    "named",
    "run_demo",
    "starter",
    "summaries",
    "train",
]
