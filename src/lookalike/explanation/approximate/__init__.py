"""Approximate explanations, for networks that are no model of this library."""

from lookalike.explanation.approximate import figure, page  # registers the forms

__all__ = ["figure", "page"]
