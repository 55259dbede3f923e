"""Questions that people ask of a model's scores, each answered in words, pictures and numbers."""

from lookalike.explanation.graph.node_parts import NodePart
from lookalike.explanation.questions.background import Background, Beyond, against_background
from lookalike.explanation.questions.change import Change, State, what_would_change
from lookalike.explanation.questions.contests import Contest
from lookalike.explanation.questions.difference import Difference, why_different
from lookalike.explanation.questions.goals import Below, BelowPercentile, Goal, OutOfTop
from lookalike.explanation.questions.margin import Margin, why_above
from lookalike.explanation.questions.mistake import (
    Mistake,
    explain_contest,
    explain_mistake,
    worst_queries,
)
from lookalike.explanation.questions.results import Result, ResultList, summarise_results
from lookalike.explanation.questions.story import Answered, Story
from lookalike.explanation.questions.worst import Worst, explain_worst

__all__ = [
    "Answered",
    "Background",
    "Below",
    "BelowPercentile",
    "Beyond",
    "Change",
    "Contest",
    "Difference",
    "Goal",
    "Margin",
    "Mistake",
    "NodePart",
    "OutOfTop",
    "Result",
    "ResultList",
    "State",
    "Story",
    "Worst",
    "against_background",
    "explain_contest",
    "explain_mistake",
    "explain_worst",
    "summarise_results",
    "what_would_change",
    "why_above",
    "why_different",
    "worst_queries",
]
