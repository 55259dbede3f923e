"""Approximate explanations, for networks that are no model of this library."""
