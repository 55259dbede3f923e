"""Diversity: the groups of a picture should differ (Xu et al. 2020, arXiv 2011.08877)."""

from typing import Annotated, Literal

import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor
from torch.nn.functional import logsigmoid

from lookalike.config import Config
from lookalike.types import Level


class Diversity(Config):
    """A binomial deviance that treats the groups of one picture as negatives of each other.

    `log(1 + exp(α C (cos(f_p, f_q) − m)))` over pairs of groups p < q, averaged over pictures.
    """

    kind: Literal["diversity"] = "diversity"
    weight: Annotated[float, Field(ge=0)]
    """λ₁: how much it counts beside the metric loss; published values go with "released"."""
    alpha: Annotated[float, Field(gt=0)] = 2.0
    margin: Annotated[float, Field(ge=-1, le=1)] = 0.5
    """m: the cosine above which two groups are too much alike."""
    negative_scale: Annotated[float, Field(gt=0)] = 25.0
    """C: the slope is alpha times this."""
    normalisation: Literal["paper", "released"] = "paper"
    """Average over pairs of groups, or (released) the sum over them divided by groups − 1, which
    is groups / 2 times as much."""

    def penalty(self, level: Level) -> Float[Tensor, ""]:
        """Return how alike the groups of a batch's pictures are; `weight` is not in it."""
        return self.of_cosines(level.vectors @ level.vectors.transpose(1, 2))

    def of_cosines(self, between: Float[Tensor, "n g g"]) -> Float[Tensor, ""]:
        """Return the penalty from cosines between the groups of each picture; 0 for one group."""
        groups = between.shape[1]
        p, q = torch.triu_indices(groups, groups, offset=1, device=between.device)
        slope = self.alpha * self.negative_scale
        terms = -logsigmoid(-slope * (between[:, p, q] - self.margin))
        count = terms.shape[1] if self.normalisation == "paper" else groups - 1
        return terms.sum(1).mean() / max(count, 1)
