"""Statistics of samples: intervals, correlations, information."""
