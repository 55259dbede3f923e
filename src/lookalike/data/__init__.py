"""Pictures and what is known of them: catalogs, splits, checks, and how pictures become batches.

A `Catalog` says which pictures there are; `cub`, `cars`, `sop` and `inshop` read the benchmarks of
the literature into one. `by_class` splits it so that a model is measured on classes it has never
seen, `check` says what is wrong with it before it costs a training run, and `TrainingBatches` and
`EvaluationBatches` read it.
"""

from lookalike.data.addresses import open_named
from lookalike.data.batches.augment import Augmentation
from lookalike.data.batches.batches import EvaluationBatches, TrainingBatches
from lookalike.data.batches.sampler import PKBatchSampler
from lookalike.data.benchmarks.cars import cars
from lookalike.data.benchmarks.cub import cub
from lookalike.data.benchmarks.inshop import inshop
from lookalike.data.benchmarks.sop import sop
from lookalike.data.bundled import demo_catalog
from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.columns import Columns
from lookalike.data.catalog.splits import (
    by_class,
    hold_out_classes,
    require_disjoint,
    shared_classes,
)
from lookalike.data.checks.check import check
from lookalike.data.checks.findings import CheckReport, Finding
from lookalike.data.pictures.images import Picture, decode, size_of
from lookalike.data.synthetic.parts import PartsSpec, has_masks, read_masks, write_parts

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
