"""Scores as they stand in a sentence."""

from lookalike.explanation.account.explanation import Explanation
from lookalike.rendering.numbers import score


def scored(why: Explanation, other: str) -> str:
    """Say what a picture scores with A, and what that means where it is known."""
    meaning = "" if why.meaning is None else f", {why.meaning}"
    return f"A and {other}: similarity {score(why.score)}{at_most(why)}{meaning}."


def at_most(why: Explanation) -> str:
    """Say of a score that is a distance below zero that it ends there."""
    return " (0 is the most)" if why.together else ""
