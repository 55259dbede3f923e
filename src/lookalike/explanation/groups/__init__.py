"""What each group of a model looks at."""

from lookalike.explanation.groups import group_files  # registers how a report is saved

__all__ = ["group_files"]
