"""Pictures that are drawn, with known parts."""
