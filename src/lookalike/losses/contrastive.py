"""Contrastive loss over all pairs or sampled triplets (Hadsell et al., CVPR 2006)."""

from typing import Annotated, Literal

import torch
from jaxtyping import Bool, Float, Int64
from pydantic import Field
from torch import Tensor, nn

from lookalike.config import Config
from lookalike.losses.pairs import mean_over
from lookalike.losses.sampling import sample_triplets
from lookalike.protocols import LossResult, PairScores

Average = Literal["each", "pairs"]


class Contrastive(Config):
    """Pull positives together, push negatives out of a ball."""

    kind: Literal["contrastive"] = "contrastive"
    positive_margin: Annotated[float, Field(ge=0)] = 0.0
    """Positives closer than this are left alone."""
    negative_margin: Annotated[float, Field(ge=0)] = 1.0
    """Negatives further away than this are left alone."""
    squared: bool = False
    """Compare squared distances with the margins (Kim et al., ECCV 2018)."""
    pairs: Literal["all", "triplets"] = "all"
    """All pairs of the batch, or one sampled triplet for each picture."""
    average: Average = "each"
    """Positives and negatives apart, so that either half counts as much ("each"), or all pairs
    together, so that the many negatives do ("pairs", Kim et al.)."""

    def build(
        self,
        *,
        classes: int,
        groups: int,
        dim: int,
        levels: int = 1,
        matrices: int | None = None,
        seed: int = 0,
    ) -> "ContrastiveLoss":
        """Build the loss; it has no parameters, so nothing depends on these numbers."""
        return ContrastiveLoss(self)


def contrastive_loss(
    to_positive: Float[Tensor, "g *pairs"],
    to_negative: Float[Tensor, "g *pairs"],
    *,
    positive: Bool[Tensor, "*#pairs"],
    negative: Bool[Tensor, "*#pairs"],
    positive_margin: float = 0.0,
    negative_margin: float = 1.0,
    average: Average = "each",
) -> Float[Tensor, " g"]:
    """Return the mean `[d − m⁺]₊` of positives plus the mean `[m⁻ − d]₊` of negatives, by matrix.

    With squared distances, margins 0 and 1, averaged over all pairs together and summed over the
    groups, it is the loss of the learners in METHODS 2: `(1/N) Σ y D² + (1 − y) [1 − D²]₊` with N
    the number of pairs, those of a picture with itself left out.

    Args:
        to_positive: Distances, or squared ones, of the pairs that `positive` selects from.
        to_negative: The same for `negative`.
        positive: Which pairs are positive.
        negative: Which pairs are negative.
        positive_margin: m⁺.
        negative_margin: m⁻.
        average: Over positives and negatives apart ("each"), else the few positives of a large
            batch hardly count; or their sum over the number of both ("pairs").
    """
    pull = (to_positive - positive_margin).relu()
    push = (negative_margin - to_negative).relu()
    if average == "pairs":
        both = torch.stack([pull, push], dim=1)
        return mean_over(both, torch.stack([positive, negative]))
    return mean_over(pull, positive) + mean_over(push, negative)


class ContrastiveLoss(nn.Module):
    """`contrastive_loss` on the pairs that the config names."""

    def __init__(self, config: Contrastive) -> None:
        super().__init__()
        self.config = config

    def forward(
        self, scores: PairScores, *, generator: torch.Generator | None = None
    ) -> LossResult:
        """Return the loss of each matrix."""
        config = self.config
        distances = scores.squared_distances() if config.squared else scores.distances()
        to_positive, to_negative = distances, distances
        positive, negative = scores.positive, scores.negative
        if config.pairs == "triplets":
            triplets = sample_triplets(scores, generator=generator)
            to_positive, to_negative = triplets.pick(distances)
            positive = negative = triplets.valid[0]
        per_matrix = contrastive_loss(
            to_positive,
            to_negative,
            positive=positive,
            negative=negative,
            positive_margin=config.positive_margin,
            negative_margin=config.negative_margin,
            average=config.average,
        )
        return LossResult(per_matrix, {})

    def proxies(self, labels: Int64[Tensor, " n"]) -> None:
        """Score the batch against itself."""
