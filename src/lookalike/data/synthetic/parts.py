"""Moved; kept while other rooms change their imports."""

from lookalike.data.synthetic.figures import FIGURE_PARTS
from lookalike.data.synthetic.figures import PartsSpec as PartsSpec

PARTS = FIGURE_PARTS
