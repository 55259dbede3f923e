"""Which pictures there are and what is known about each: reading, splitting, writing."""
