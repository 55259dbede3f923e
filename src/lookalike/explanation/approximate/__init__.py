"""Approximate explanations, for networks that are no model of this library."""

# Registers how an attribution is shown.
from lookalike.explanation.approximate import attribution_sheet as attribution_sheet
