"""Scores, margins and counts as they stand in a sentence."""

from lookalike.explanation.account import Explanation


def score(value: float) -> str:
    """Write a score.

    >>> score(0.6824), score(-0.33), score(-0.0)
    ('0.682', '−0.330', '0.000')
    """
    return f"{value:z.3f}".replace("-", "−")


def scored(why: Explanation, other: str) -> str:
    """Say what a picture scores with A, and what that means where it is known."""
    meaning = "" if why.meaning is None else f", {why.meaning}"
    return f"A and {other}: similarity {score(why.score)}{at_most(why)}{meaning}."


def at_most(why: Explanation) -> str:
    """Say of a score that is a distance below zero that it ends there."""
    return " (0 is the most)" if why.together else ""


def share(part: float, whole: float) -> str:
    """Write a part as a share of a whole.

    >>> share(0.1, 0.5)
    '20 %'
    """
    return f"{100 * part / whole:.0f} %"


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
