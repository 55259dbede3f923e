"""Approximate explanations, for networks that are no model of this library."""

from lookalike.explanation.approximate import attribution_sheet  # registers how it is shown

__all__ = ["attribution_sheet"]
