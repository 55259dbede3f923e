"""The exact explanation of one score: by group, by position and by pair of positions."""

# These register how an explanation is told, drawn, put on a page and written as numbers.
from lookalike.explanation.account import explanation_page as explanation_page
from lookalike.explanation.account import explanation_record as explanation_record
from lookalike.explanation.account import explanation_sheet as explanation_sheet
from lookalike.explanation.account import sentences as sentences
