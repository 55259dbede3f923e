"""What a score means for one model: where it falls among same and different pairs.

The value that a model carries; `lookalike.evaluation.calibrate` measures it on held-out pairs.
"""
