"""Binomial deviance: a smooth contrastive loss on cosines (Yi et al., ICPR 2014)."""

from typing import Annotated, Literal

import torch
from jaxtyping import Int64
from pydantic import Field
from torch import Tensor
from torch.nn.functional import logsigmoid

from lookalike.config import Config
from lookalike.losses.pairs import mean_over
from lookalike.protocols import LossResult, LossShape, PairScores


class BinomialDeviance(Config):
    """The log-likelihood of "same class" as a logistic function of the cosine.

    Positives give `log(1 + exp(−α (s − m)))`, negatives `log(1 + exp(α C (s − m)))`. Both are
    averaged separately and added.
    """

    kind: Literal["binomial"] = "binomial"
    alpha: Annotated[float, Field(gt=0)] = 2.0
    """α: the slope for positives."""
    margin: Annotated[float, Field(ge=-1, le=1)] = 0.5
    """m: the cosine where positives and negatives meet."""
    negative_scale: Annotated[float, Field(gt=0)] = 25.0
    """C: how many times steeper negatives are."""
    keep_self_pairs: bool = False
    """Count each picture as a positive of itself, as the released code of Xu et al. does."""

    def build(self, shape: LossShape) -> "BinomialDeviance":
        """Return the loss, which is the config itself: it has no parameters."""
        return self

    def __call__(
        self, scores: PairScores, *, generator: torch.Generator | None = None
    ) -> LossResult:
        """Return the loss of each matrix of a batch against itself; nothing is sampled."""
        above = self.alpha * (scores.cosines - self.margin)
        # −logsigmoid(−x) is log(1 + exp(x)). It is exact for large x, where softplus returns x.
        pull, push = -logsigmoid(above), -logsigmoid(-self.negative_scale * above)
        positive = ~scores.negative if self.keep_self_pairs else scores.positive
        return LossResult(mean_over(pull, positive) + mean_over(push, scores.negative), {})

    def proxies(self, labels: Int64[Tensor, " n"]) -> None:
        """Score the batch against itself."""
