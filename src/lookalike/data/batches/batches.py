"""Moved; kept while other rooms change their imports."""

from lookalike.data.batches.catalog_batches import (
    EvaluationBatches as EvaluationBatches,
)
from lookalike.data.batches.catalog_batches import (
    TrainingBatches as TrainingBatches,
)
