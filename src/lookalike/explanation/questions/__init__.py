"""Questions that people ask of a model's scores, each answered in words, pictures and numbers.

Each file asks and answers one question. `QUESTIONS` is the list of them: a function named in it is
a command of `lookalike explain`, made from its signature and docstring. A picture is a path, a PIL
image, or a uint8 array (height, width, 3).
"""

from collections.abc import Callable
from typing import Final

from lookalike.explanation.account.strongest_nodes import NodePart
from lookalike.explanation.questions.answer import Answer, Story
from lookalike.explanation.questions.background import Background, Beyond, explain_background
from lookalike.explanation.questions.change import Change, Standing, explain_change
from lookalike.explanation.questions.contests import Contest, contests
from lookalike.explanation.questions.goals import Below, BelowPercentile, Goal, OutOfTop
from lookalike.explanation.questions.mistake import Mistake, explain_mistake
from lookalike.explanation.questions.results import Result, ResultList, explain_results
from lookalike.explanation.questions.why_above import ScoreMargin, explain_why_above
from lookalike.explanation.questions.why_different import Difference, explain_why_different
from lookalike.explanation.questions.worst import CatalogRow, Worst, explain_worst

QUESTIONS: Final[dict[str, Callable[..., Answer]]] = {
    "why-different": explain_why_different,
    "why-above": explain_why_above,
    "change": explain_change,
    "results": explain_results,
    "mistake": explain_mistake,
    "worst": explain_worst,
    "background": explain_background,
}
"""The command of `lookalike explain` that asks each question, and the function that answers it."""

__all__ = [
    "QUESTIONS",
    "Answer",
    "Background",
    "Below",
    "BelowPercentile",
    "Beyond",
    "CatalogRow",
    "Change",
    "Contest",
    "Difference",
    "Goal",
    "Mistake",
    "NodePart",
    "OutOfTop",
    "Result",
    "ResultList",
    "ScoreMargin",
    "Standing",
    "Story",
    "Worst",
    "contests",
    "explain_background",
    "explain_change",
    "explain_mistake",
    "explain_results",
    "explain_why_above",
    "explain_why_different",
    "explain_worst",
]
