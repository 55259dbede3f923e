"""The nodes behind a score of a graph (AVSL)."""
