"""Recipes: all settings from pictures to results, as functions and as YAML to edit."""

from lookalike.recipes.avsl import avsl
from lookalike.recipes.demo import DemoResult, run_demo
from lookalike.recipes.division import Division, divide
from lookalike.recipes.emoji import emoji, emoji_ensemble
from lookalike.recipes.ensemble import abe, m_heads
from lookalike.recipes.grouping import attentive_grouping, grouping
from lookalike.recipes.recipe import EvaluationConfig, Recipe, SplitConfig
from lookalike.recipes.registry import BUILT_IN, FAMILIES, every, named, summaries
from lookalike.recipes.starter import starter
from lookalike.recipes.train_recipe import Run, train

__all__ = [
    "BUILT_IN",
    "FAMILIES",
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
    "grouping",
    "m_heads",
    "named",
    "run_demo",
    "starter",
    "summaries",
    "train",
]
