"""Contrastive loss over all pairs or sampled triplets (Hadsell et al., CVPR 2006)."""

from typing import Annotated, Literal

import torch
from jaxtyping import Bool, Float, Int64
from pydantic import Field
from torch import Tensor

from lookalike.config import Config
from lookalike.losses.pairs import mean_over
from lookalike.losses.sampling import sample_triplets
from lookalike.protocols import LossResult, LossShape, PairScores


class Contrastive(Config):
    """Pull positives together and push negatives out of a ball.

    `[d − m⁺]₊` is averaged over positives and `[m⁻ − d]₊` over negatives. With squared distances,
    margins 0 and 1, averaged over all pairs together and summed over the groups, it is the loss of
    the learners in METHODS 2: `(1/N) Σ y D² + (1 − y) [1 − D²]₊`, with N the number of pairs, those
    of a picture with itself left out.
    """

    kind: Literal["contrastive"] = "contrastive"
    positive_margin: Annotated[float, Field(ge=0)] = 0.0
    """m⁺: positives closer than this are left alone."""
    negative_margin: Annotated[float, Field(ge=0)] = 1.0
    """m⁻: negatives further away than this are left alone."""
    squared: bool = False
    """Compare squared distances with the margins (Kim et al., ECCV 2018)."""
    pairs: Literal["all", "triplets"] = "all"
    """All pairs of the batch, or one sampled triplet for each picture."""
    average: Literal["each", "pairs"] = "each"
    """Average positives and negatives separately, so that both count the same ("each"), or all
    pairs together, so that the many negatives count most ("pairs", Kim et al.)."""

    def build(self, shape: LossShape) -> "Contrastive":
        """Return the loss, which is the config itself: it has no parameters."""
        return self

    def __call__(
        self, scores: PairScores, *, generator: torch.Generator | None = None
    ) -> LossResult:
        """Return the loss of each matrix of a batch against itself."""
        distances = scores.squared_distances() if self.squared else scores.distances()
        if self.pairs == "all":
            value = self.of_distances(distances, distances, scores.positive, scores.negative)
        else:
            triplets = sample_triplets(scores, generator=generator)
            valid = triplets.valid[0]
            value = self.of_distances(*triplets.pick(distances), valid, valid)
        return LossResult(value, {})

    def of_distances(
        self,
        to_positive: Float[Tensor, "g *pairs"],
        to_negative: Float[Tensor, "g *pairs"],
        positive: Bool[Tensor, "*#pairs"],
        negative: Bool[Tensor, "*#pairs"],
    ) -> Float[Tensor, " g"]:
        """Return the loss of each matrix from distances, or from squared ones.

        Args:
            to_positive: Of the pairs that `positive` selects from.
            to_negative: Of the pairs that `negative` selects from.
            positive: Which pairs are positive.
            negative: Which pairs are negative.
        """
        pull = (to_positive - self.positive_margin).relu()
        push = (self.negative_margin - to_negative).relu()
        if self.average == "each":
            return mean_over(pull, positive) + mean_over(push, negative)
        both = torch.stack([pull, push], dim=1)
        return mean_over(both, torch.stack([positive, negative]))

    def proxies(self, labels: Int64[Tensor, " n"]) -> None:
        """Score the batch against itself."""
