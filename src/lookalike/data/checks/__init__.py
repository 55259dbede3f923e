"""What is wrong with a catalog, found before training."""
