"""Margin loss with a learnt boundary (Wu et al., ICCV 2017, section 4)."""

from typing import Annotated, Literal

import torch
from jaxtyping import Float, Int64
from pydantic import Field
from torch import Tensor, nn

from lookalike.config import Config
from lookalike.losses.sampling import Triplets, sample_triplets
from lookalike.protocols import LossResult, PairScores

DivideBy = Literal["active_terms", "active_triplets"]


class Margin(Config):
    """Positives inside, negatives outside of a learnt distance, on distance-weighted triplets."""

    kind: Literal["margin"] = "margin"
    margin: Annotated[float, Field(ge=0)] = 0.2
    """How far from the boundary a pair must be to count as settled."""
    boundary: Annotated[float, Field(ge=0)] = 1.2
    """The distance between positives and negatives at the start."""
    cutoff: Annotated[float, Field(gt=0, lt=2)] = 0.5
    """Negatives closer than this are sampled as if they were this far away."""
    divide_by: DivideBy = "active_terms"
    """What the sum is divided by; "active_triplets" is the released code of Xu et al."""

    def build(
        self,
        *,
        classes: int,
        groups: int,
        dim: int,
        levels: int = 1,
        matrices: int | None = None,
        seed: int = 0,
    ) -> "MarginLoss":
        """Build the loss, with a boundary for each matrix and class.

        Args:
            classes: Number of training classes.
            groups: Groups of the head.
            dim: Numbers in each group.
            levels: Levels of the head.
            matrices: Matrices to read; None is one for each group.
            seed: For what starts at random, which is nothing.
        """
        return MarginLoss(self, classes=classes, groups=matrices or groups)


def margin_loss(
    scores: PairScores,
    triplets: Triplets,
    boundary: Float[Tensor, "g c"],
    *,
    margin: float = 0.2,
    divide_by: DivideBy = "active_terms",
) -> LossResult:
    """Return `[d⁺ − η + m]₊ + [η − d⁻ + m]₊` over triplets, η by the group and the anchor's class.

    Args:
        scores: The batch against itself.
        triplets: Which pairs to compare.
        boundary: η, one for each group and class.
        margin: m.
        divide_by: Each group's sum is divided by the number of its terms above zero, or of its
            triplets with such a term.
    """
    to_positive, to_negative = triplets.pick(scores.distances())
    edge = boundary.gather(1, scores.labels[triplets.anchor])
    terms = torch.stack([to_positive - edge + margin, edge - to_negative + margin])
    terms = terms.relu() * triplets.valid
    active = terms.detach() > 0
    counted = active.any(0) if divide_by == "active_triplets" else active.sum(0)
    per_matrix = terms.sum((0, 2)) / counted.sum(1).clamp(min=1)
    share = active.sum() / (2 * triplets.valid.sum()).clamp(min=1)
    return LossResult(per_matrix, {"active": share, "boundary": boundary.detach().mean()})


class MarginLoss(nn.Module):
    """`margin_loss` on a fresh draw of distance-weighted triplets.

    Args:
        config: The numbers.
        classes: Number of training classes.
        groups: Number of groups, or of whatever has a matrix of its own.

    Attributes:
        boundary: η, learnt, usually at a learning rate of its own.
    """

    def __init__(self, config: Margin, *, classes: int, groups: int) -> None:
        super().__init__()
        self.config = config
        self.boundary = nn.Parameter(torch.full((groups, classes), config.boundary))

    def forward(
        self, scores: PairScores, *, generator: torch.Generator | None = None
    ) -> LossResult:
        """Return the loss of each matrix, the share of active terms and the mean boundary."""
        triplets = sample_triplets(scores, cutoff=self.config.cutoff, generator=generator)
        return margin_loss(
            scores,
            triplets,
            self.boundary,
            margin=self.config.margin,
            divide_by=self.config.divide_by,
        )

    def proxies(self, labels: Int64[Tensor, " n"]) -> None:
        """Score the batch against itself."""
