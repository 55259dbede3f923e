"""Diversity: the groups of a picture should differ (Xu et al. 2020, arXiv 2011.08877)."""

from typing import Annotated, Literal

import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor
from torch.nn.functional import logsigmoid

from lookalike.config import Config
from lookalike.types import Level

Normalisation = Literal["paper", "released"]


class Diversity(Config):
    """A binomial deviance that treats the groups of one picture as negatives of each other."""

    kind: Literal["diversity"] = "diversity"
    weight: Annotated[float, Field(ge=0)]
    """λ₁: how much it counts beside the metric loss; published values go with "released"."""
    alpha: Annotated[float, Field(gt=0)] = 2.0
    margin: Annotated[float, Field(ge=-1, le=1)] = 0.5
    """The cosine above which two groups are too much alike."""
    negative_scale: Annotated[float, Field(gt=0)] = 25.0
    """C: the slope is alpha times this."""
    normalisation: Normalisation = "paper"
    """Average over pairs of groups, or (released) the sum over them divided by groups − 1."""

    def penalty(self, level: Level) -> Float[Tensor, ""]:
        """Return how alike the groups of a batch's pictures are; `weight` is not in it."""
        return diversity_loss(
            level.vectors @ level.vectors.transpose(1, 2),
            alpha=self.alpha,
            margin=self.margin,
            negative_scale=self.negative_scale,
            normalisation=self.normalisation,
        )


def diversity_loss(
    between: Float[Tensor, "n g g"],
    *,
    alpha: float = 2.0,
    margin: float = 0.5,
    negative_scale: float = 25.0,
    normalisation: Normalisation = "paper",
) -> Float[Tensor, ""]:
    """Return `log(1 + exp(α C (cos(f_p, f_q) − m)))` over pairs of groups p < q.

    Averaged over pictures; zero for a single group.

    Args:
        between: Cosines between the groups of each picture.
        alpha: α.
        margin: m.
        negative_scale: C.
        normalisation: "paper" averages over the pairs of groups, "released" divides their sum by
            groups − 1, which is groups / 2 times as much.
    """
    groups = between.shape[1]
    p, q = torch.triu_indices(groups, groups, offset=1, device=between.device)
    terms = -logsigmoid(-alpha * negative_scale * (between[:, p, q] - margin))
    count = terms.shape[1] if normalisation == "paper" else groups - 1
    return terms.sum(1).mean() / max(count, 1)
