"""The nodes of a graph, and what feeds them."""

# Registers how a graph is saved.
from lookalike.explanation.graph import graph_files as graph_files
