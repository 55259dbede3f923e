"""Explanations: the score that was shown, taken apart exactly, and ways to look at the parts."""

from lookalike.explanation.account import FORMATS, Contribution, Explanation, Pictured
from lookalike.explanation.gallery import Peak, strongest
from lookalike.explanation.overlay import data_uri, overlay
from lookalike.explanation.pair import explain, explain_pairs
from lookalike.explanation.regions import Region

__all__ = [
    "FORMATS",
    "Contribution",
    "Explanation",
    "Peak",
    "Pictured",
    "Region",
    "data_uri",
    "explain",
    "explain_pairs",
    "overlay",
    "strongest",
]
