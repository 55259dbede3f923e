"""Losses: what training minimises. They read cosines, masks and labels, never the model.

A config (`Margin`, `Contrastive`, …) holds the numbers of a loss and computes it. `build` adds the
parameters that some losses learn: boundaries (`MarginLoss`) or proxies (`ProxyAnchorLoss`).
"""

from lookalike.losses.binomial import BinomialDeviance
from lookalike.losses.contrastive import Contrastive
from lookalike.losses.divergence import Divergence
from lookalike.losses.diversity import Diversity
from lookalike.losses.margin import Margin, MarginLoss
from lookalike.losses.objective import (
    DiversityConfig,
    LossConfig,
    Objective,
    ObjectiveConfig,
    ObjectiveResult,
)
from lookalike.losses.pairs import pairs_with_classes, pairs_within
from lookalike.losses.proxy_anchor import ProxyAnchor, ProxyAnchorLoss
from lookalike.losses.sampling import Triplets, distance_weighted_odds, sample_triplets
from lookalike.losses.watch import Spread, spread

__all__ = [
    "BinomialDeviance",
    "Contrastive",
    "Divergence",
    "Diversity",
    "DiversityConfig",
    "LossConfig",
    "Margin",
    "MarginLoss",
    "Objective",
    "ObjectiveConfig",
    "ObjectiveResult",
    "ProxyAnchor",
    "ProxyAnchorLoss",
    "Spread",
    "Triplets",
    "distance_weighted_odds",
    "pairs_with_classes",
    "pairs_within",
    "sample_triplets",
    "spread",
]
