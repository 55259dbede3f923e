"""The exact explanation of one score: by group, by position and by pair of positions."""

from lookalike.explanation.account import figure, page, record, sentences  # registers the forms

__all__ = ["figure", "page", "record", "sentences"]
