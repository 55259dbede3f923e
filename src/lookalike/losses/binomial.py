"""Binomial deviance: a smooth contrastive loss on cosines (Yi et al., ICPR 2014)."""

from typing import Annotated, Literal

import torch
from jaxtyping import Float, Int64
from pydantic import Field
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from lookalike.config import Config
from lookalike.losses.pairs import mean_over
from lookalike.protocols import LossResult, PairScores


class BinomialDeviance(Config):
    """Log-likelihood of "same class" as a logistic function of the cosine."""

    kind: Literal["binomial"] = "binomial"
    alpha: Annotated[float, Field(gt=0)] = 2.0
    """Slope for positives."""
    margin: Annotated[float, Field(ge=-1, le=1)] = 0.5
    """The cosine where positives and negatives meet."""
    negative_scale: Annotated[float, Field(gt=0)] = 25.0
    """How many times steeper negatives are, C."""
    keep_self_pairs: bool = False
    """Count each picture as a positive of itself, as the released code of Xu et al. does."""

    def build(
        self,
        *,
        classes: int,
        groups: int,
        dim: int,
        levels: int = 1,
        matrices: int | None = None,
        seed: int = 0,
    ) -> "BinomialDevianceLoss":
        """Build the loss; it has no parameters, so nothing depends on these numbers."""
        return BinomialDevianceLoss(self)


def binomial_deviance_loss(
    scores: PairScores,
    *,
    alpha: float = 2.0,
    margin: float = 0.5,
    negative_scale: float = 25.0,
    keep_self_pairs: bool = False,
) -> Float[Tensor, " g"]:
    """Return the deviance of each matrix, averaged over positives and over negatives.

    Positives give `log(1 + exp(−α (s − m)))`, negatives `log(1 + exp(α C (s − m)))`.

    Args:
        scores: The batch against itself.
        alpha: α.
        margin: m.
        negative_scale: C.
        keep_self_pairs: Whether a picture counts as a positive of itself.
    """
    above = alpha * (scores.cosines - margin)
    # −logsigmoid(−x) is log(1 + exp(x)), exact for large x where softplus cuts to x
    pull, push = -logsigmoid(above), -logsigmoid(-negative_scale * above)
    positive = ~scores.negative if keep_self_pairs else scores.positive
    return mean_over(pull, positive) + mean_over(push, scores.negative)


class BinomialDevianceLoss(nn.Module):
    """`binomial_deviance_loss` with the config's numbers."""

    def __init__(self, config: BinomialDeviance) -> None:
        super().__init__()
        self.config = config

    def forward(
        self, scores: PairScores, *, generator: torch.Generator | None = None
    ) -> LossResult:
        """Return the loss of each matrix; nothing is sampled."""
        per_matrix = binomial_deviance_loss(
            scores,
            alpha=self.config.alpha,
            margin=self.config.margin,
            negative_scale=self.config.negative_scale,
            keep_self_pairs=self.config.keep_self_pairs,
        )
        return LossResult(per_matrix, {})

    def proxies(self, labels: Int64[Tensor, " n"]) -> None:
        """Score the batch against itself."""
