"""Scores, margins and counts as they stand in a sentence."""

from lookalike.explanation.account import Explanation


def score(value: float) -> str:
    """Write a score.

    >>> score(0.6824), score(-0.33)
    ('0.682', '−0.330')
    """
    return f"{value:.3f}".replace("-", "−")


def scored(why: Explanation, other: str) -> str:
    """Say what a picture scores with A, and what that means where it is known."""
    meaning = "" if why.meaning is None else f", {why.meaning}"
    return f"A and {other}: similarity {score(why.score)}{meaning}."


def tiny(value: float) -> str:
    """Write by how much sums miss.

    >>> tiny(3.2e-8)
    '3e−08'
    """
    return f"{value:.0e}".replace("-", "−")


def counted(count: int, word: str) -> str:
    """Write a count with its word.

    >>> counted(1, "cell"), counted(3, "cell")
    ('1 cell', '3 cells')
    """
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
