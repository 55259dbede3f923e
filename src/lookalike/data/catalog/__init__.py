"""Which pictures there are and what is known of each: reading, splitting, writing."""
