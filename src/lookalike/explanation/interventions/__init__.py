"""Pictures that are changed on purpose: cells hidden or shown, pictures moved."""
