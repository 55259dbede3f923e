"""Moved; kept while other rooms change their imports."""

from lookalike.data.batches.augmentation import Augmentation as Augmentation
