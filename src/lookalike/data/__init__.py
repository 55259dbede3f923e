"""Pictures and what is known of them: catalogs, splits, checks, and how pictures become batches.

A `Catalog` says which pictures there are; `cub`, `cars`, `sop` and `inshop` read the benchmarks of
the literature into one. `by_class` splits it so that a model is measured on classes it has never
seen, `check` says what is wrong with it before it costs a training run, and `TrainingBatches` and
`EvaluationBatches` read it.
"""

from lookalike.data.augment import Augmentation
from lookalike.data.benchmarks.cars import cars
from lookalike.data.benchmarks.cub import cub
from lookalike.data.benchmarks.inshop import inshop
from lookalike.data.benchmarks.sop import sop
from lookalike.data.catalog import Catalog
from lookalike.data.checking import check
from lookalike.data.columns import Columns
from lookalike.data.demo import demo_catalog
from lookalike.data.findings import CheckReport, Finding
from lookalike.data.images import Picture, decode, size_of
from lookalike.data.loading import EvaluationBatches, TrainingBatches
from lookalike.data.named import open_named
from lookalike.data.parts import PartsSpec, has_masks, read_masks, write_parts
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
    "cars",
    "check",
    "cub",
    "decode",
    "demo_catalog",
    "has_masks",
    "hold_out_classes",
    "inshop",
    "open_named",
    "read_masks",
    "require_disjoint",
    "shared_classes",
    "size_of",
    "sop",
    "write_parts",
]
