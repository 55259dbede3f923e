"""Pictures and what is known of them: catalogs, splits, checks, and how pictures become batches.

A `Catalog` says which pictures there are. `by_class` splits it so that a model is measured on
classes it has never seen, `check` says what is wrong with it before it costs a training run, and
`TrainingBatches` and `EvaluationBatches` read it.
"""

from lookalike.data.augment import Augmentation
from lookalike.data.catalog import Catalog
from lookalike.data.checking import check
from lookalike.data.columns import Columns
from lookalike.data.demo import demo_catalog
from lookalike.data.findings import CheckReport, Finding
from lookalike.data.images import Picture, decode, size_of
from lookalike.data.loading import EvaluationBatches, TrainingBatches
from lookalike.data.parts import PartsSpec, read_masks, write_parts
from lookalike.data.sampler import PKBatchSampler
from lookalike.data.splits import by_class, hold_out_classes, require_disjoint, shared_classes

__all__ = [
    "Augmentation",
    "Catalog",
    "CheckReport",
    "Columns",
    "EvaluationBatches",
    "Finding",
    "PKBatchSampler",
    "PartsSpec",
    "Picture",
    "TrainingBatches",
    "by_class",
    "check",
    "decode",
    "demo_catalog",
    "hold_out_classes",
    "read_masks",
    "require_disjoint",
    "shared_classes",
    "size_of",
    "write_parts",
]
