"""The exact explanation of one score: by group, by position and by pair of positions."""

# These register how an explanation is told, drawn, put on a page and written as numbers.
from lookalike.explanation.account import (
    explanation_page,
    explanation_record,
    explanation_sheet,
    sentences,
)

__all__ = ["explanation_page", "explanation_record", "explanation_sheet", "sentences"]
