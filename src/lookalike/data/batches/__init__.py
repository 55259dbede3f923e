"""Batches for training and for evaluation."""
