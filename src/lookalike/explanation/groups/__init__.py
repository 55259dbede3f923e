"""What each group of a model looks at."""

# Registers how a report is saved.
from lookalike.explanation.groups import group_files as group_files
