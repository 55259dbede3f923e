"""Drawn pictures whose object parts are known."""
