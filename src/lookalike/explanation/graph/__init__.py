"""The nodes of a graph, and what feeds them."""

from lookalike.explanation.graph import graph_files  # registers how a graph is saved

__all__ = ["graph_files"]
