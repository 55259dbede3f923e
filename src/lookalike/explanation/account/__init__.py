"""The exact explanation of one score: by group, by position and by pair of positions."""
