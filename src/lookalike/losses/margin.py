"""Margin loss with a learnt boundary (Wu et al., ICCV 2017, section 4)."""

from typing import Annotated, Literal

import torch
from jaxtyping import Float, Int64
from pydantic import Field
from torch import Tensor, nn

from lookalike.config import Config
from lookalike.losses.sampling import Triplets, sample_triplets
from lookalike.protocols import LossResult, LossShape, PairScores


class Margin(Config):
    """Positives inside a learnt distance, negatives outside, on distance-weighted triplets."""

    kind: Literal["margin"] = "margin"
    margin: Annotated[float, Field(ge=0)] = 0.2
    """m: how far from the boundary a pair must be to be left alone."""
    boundary: Annotated[float, Field(ge=0)] = 1.2
    """η: the distance between positives and negatives at the start."""
    cutoff: Annotated[float, Field(gt=0, lt=2)] = 0.5
    """Negatives closer than this are sampled as if they were at this distance."""
    divide_by: Literal["active_terms", "active_triplets"] = "active_terms"
    """What the sum is divided by: the number of terms above zero, or of triplets with such a term
    (the released code of Xu et al.)."""

    def build(self, shape: LossShape) -> "MarginLoss":
        """Build the loss, with a boundary for each matrix and class."""
        return MarginLoss(self, classes=shape.classes, matrices=shape.matrices or shape.groups)

    def of_triplets(
        self, scores: PairScores, triplets: Triplets, boundary: Float[Tensor, "g c"]
    ) -> LossResult:
        """Return `[d⁺ − η + m]₊ + [η − d⁻ + m]₊` over triplets, η by matrix and anchor's class.

        Args:
            scores: The batch against itself.
            triplets: Which pairs to compare.
            boundary: η, one for each matrix and class.

        Returns:
            The loss of each matrix, the share of active terms and the mean boundary.
        """
        to_positive, to_negative = triplets.pick(scores.distances())
        edge = boundary.gather(1, scores.labels[triplets.anchor])
        terms = torch.stack([to_positive - edge + self.margin, edge - to_negative + self.margin])
        terms = terms.relu() * triplets.valid
        active = terms.detach() > 0
        counted = active.any(0) if self.divide_by == "active_triplets" else active.sum(0)
        share = active.sum() / (2 * triplets.valid.sum()).clamp(min=1)
        return LossResult(
            terms.sum((0, 2)) / counted.sum(1).clamp(min=1),
            {"active": share, "boundary": boundary.detach().mean()},
        )


class MarginLoss(nn.Module):
    """The margin loss on newly drawn distance-weighted triplets.

    Args:
        config: The numbers.
        classes: Number of training classes.
        matrices: Number of matrices.

    Attributes:
        boundary: η, learnt, usually with a learning rate of its own.
    """

    def __init__(self, config: Margin, *, classes: int, matrices: int) -> None:
        super().__init__()
        self.config = config
        self.boundary = nn.Parameter(torch.full((matrices, classes), config.boundary))

    def forward(
        self, scores: PairScores, *, generator: torch.Generator | None = None
    ) -> LossResult:
        """Return the loss of each matrix of a batch against itself."""
        triplets = sample_triplets(scores, cutoff=self.config.cutoff, generator=generator)
        return self.config.of_triplets(scores, triplets, self.boundary)

    def proxies(self, labels: Int64[Tensor, " n"]) -> None:
        """Score the batch against itself."""
