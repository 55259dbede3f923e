"""The similarity of AVSL: a graph of nodes over levels."""
