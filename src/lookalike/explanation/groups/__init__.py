"""What each group of a model looks at."""
