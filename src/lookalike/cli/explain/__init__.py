"""`lookalike explain` and its commands."""
