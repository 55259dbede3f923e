"""Pictures that are changed on purpose: cells are hidden or shown, pictures are moved."""
