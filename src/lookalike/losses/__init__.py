"""Losses: what training minimises. They read cosines, masks and labels, never the model.

Configs (`Margin`, `Contrastive`, …) say which loss and with what numbers; functions
(`margin_loss`, …) are the loss itself; modules (`MarginLoss`, …) hold its parameters.
"""

from lookalike.losses.binomial import (
    BinomialDeviance,
    BinomialDevianceLoss,
    binomial_deviance_loss,
)
from lookalike.losses.contrastive import Contrastive, ContrastiveLoss, contrastive_loss
from lookalike.losses.divergence import Divergence, divergence_loss
from lookalike.losses.diversity import Diversity, diversity_loss
from lookalike.losses.margin import Margin, MarginLoss, margin_loss
from lookalike.losses.objective import LossConfig, Objective, ObjectiveConfig
from lookalike.losses.pairs import pairs_with_classes, pairs_within
from lookalike.losses.proxy_anchor import ProxyAnchor, ProxyAnchorLoss, proxy_anchor_loss
from lookalike.losses.sampling import Triplets, distance_weighted_odds, sample_triplets
from lookalike.losses.watch import Spread, spread

__all__ = [
    "BinomialDeviance",
    "BinomialDevianceLoss",
    "Contrastive",
    "ContrastiveLoss",
    "Divergence",
    "Diversity",
    "LossConfig",
    "Margin",
    "MarginLoss",
    "Objective",
    "ObjectiveConfig",
    "ProxyAnchor",
    "ProxyAnchorLoss",
    "Spread",
    "Triplets",
    "binomial_deviance_loss",
    "contrastive_loss",
    "distance_weighted_odds",
    "divergence_loss",
    "diversity_loss",
    "margin_loss",
    "pairs_with_classes",
    "pairs_within",
    "proxy_anchor_loss",
    "sample_triplets",
    "spread",
]
