"""Pictures and what is known about them: catalogs, splits, checks, and how they become batches.

A `Catalog` says which pictures there are; `cub`, `cars`, `sop` and `inshop` read the benchmarks of
the literature into one. `by_class` splits it so that a model is measured on classes it has never
seen. `check` says what is wrong with it before a training run. `TrainingBatches` and
`EvaluationBatches` read its pictures.
"""

from lookalike.data.addresses import demo_catalog, open_named
from lookalike.data.batches.augmentation import Augmentation
from lookalike.data.batches.catalog_batches import EvaluationBatches, TrainingBatches
from lookalike.data.batches.pk_sampler import PKBatchSampler
from lookalike.data.benchmarks.cars import cars
from lookalike.data.benchmarks.cub import cub
from lookalike.data.benchmarks.inshop import inshop
from lookalike.data.benchmarks.sop import sop
from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.entries import Box, Entry
from lookalike.data.catalog.splits import (
    by_class,
    hold_out_classes,
    require_disjoint,
    shared_classes,
)
from lookalike.data.catalog.tables import Columns
from lookalike.data.checks.check import check
from lookalike.data.checks.findings import CheckFinding, CheckReport
from lookalike.data.pictures.decode import Picture, decode, size_of
from lookalike.data.pictures.network_input import (
    cut,
    map_to_picture,
    normalise,
    read_for,
    to_inputs,
)
from lookalike.data.synthetic.figures import (
    FIGURE_PARTS,
    PartsSpec,
    has_masks,
    read_masks,
    write_parts,
)

__all__ = [
    "FIGURE_PARTS",
    "Augmentation",
    "Box",
    "Catalog",
    "CheckFinding",
    "CheckReport",
    "Columns",
    "Entry",
    "EvaluationBatches",
    "PKBatchSampler",
    "PartsSpec",
    "Picture",
    "TrainingBatches",
    "by_class",
    "cars",
    "check",
    "cub",
    "cut",
    "decode",
    "demo_catalog",
    "has_masks",
    "hold_out_classes",
    "inshop",
    "map_to_picture",
    "normalise",
    "open_named",
    "read_for",
    "read_masks",
    "require_disjoint",
    "shared_classes",
    "size_of",
    "sop",
    "to_inputs",
    "write_parts",
]
