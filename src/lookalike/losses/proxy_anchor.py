"""Proxy-Anchor: proxies pull and push all of the batch at once (Kim et al., CVPR 2020)."""

from typing import Annotated, Literal

import torch
from jaxtyping import Bool, Float, Int64
from pydantic import Field
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from lookalike.config import Config
from lookalike.protocols import LossResult, LossShape, PairScores, Proxies
from lookalike.types import Embedding, Level

MANY_CLASSES = 1000
"""With more classes than this, only those of a batch enter its loss."""


class ProxyAnchor(Config):
    """A learnable proxy for each class, laid out as an embedding, compared with the batch.

    With d = 2 − 2s, the form on squared distances with scale 16 that pulls by d − 1.8 and pushes
    by 2.2 − d (Zhang et al., CVPR 2022) is exactly this loss. Nothing else about d is used, so this
    holds for a graph's final distance too.
    """

    kind: Literal["proxy_anchor"] = "proxy_anchor"
    scale: Annotated[float, Field(gt=0)] = 32.0
    """α: how much more the hardest pictures count than the easy ones."""
    margin: Annotated[float, Field(ge=0)] = 0.1
    """δ: positives should be above this cosine, negatives below its negative."""
    batch_classes_only: bool | None = None
    """Compare only with the proxies of the batch's classes; None does so above 1000 classes."""

    def build(self, shape: LossShape) -> "ProxyAnchorLoss":
        """Build the loss, with proxies drawn from the seed."""
        return ProxyAnchorLoss(self, shape)

    def of_scores(self, scores: PairScores) -> Float[Tensor, " g"]:
        """Return the loss of each matrix of a batch, in rows, against proxies, in columns.

        `log(1 + Σ exp(−α (s − δ)))` over each proxy's positives, averaged over the proxies that
        have some, plus `log(1 + Σ exp(α (s + δ)))` over its negatives, averaged over all proxies.
        """
        pull = _softplus_sum(self.scale * (self.margin - scores.cosines), scores.positive)
        push = _softplus_sum(self.scale * (self.margin + scores.cosines), scores.negative)
        # a proxy without positives adds nothing to the sum
        present = scores.positive.any(0).sum().clamp(min=1)
        return pull.sum(1) / present + push.mean(1)


def _softplus_sum(
    logits: Float[Tensor, "g n m"], kept: Bool[Tensor, "n m"]
) -> Float[Tensor, "g m"]:
    """Return log(1 + Σ exp) over the rows that are kept, zero where there are none."""
    return -logsigmoid(-logits.masked_fill(~kept, -torch.inf).logsumexp(dim=1))


class ProxyAnchorLoss(nn.Module):
    """The Proxy-Anchor loss with its proxies.

    Args:
        config: The numbers.
        shape: Of the embeddings, and the number of classes.

    Attributes:
        proxy: The proxies, of any norm, the groups of all levels side by side; learnt, usually
            with a higher learning rate.
    """

    def __init__(self, config: ProxyAnchor, shape: LossShape) -> None:
        super().__init__()
        self.config = config
        self.groups = shape.groups
        generator = torch.Generator().manual_seed(shape.seed)
        size = (shape.classes, shape.levels * shape.groups, shape.dim)
        # He's deviation for as many outputs as classes: the length decides how fast a proxy turns
        noise = torch.randn(size, generator=generator) * (2 / shape.classes) ** 0.5
        self.proxy = nn.Parameter(noise)

    def forward(
        self, scores: PairScores, *, generator: torch.Generator | None = None
    ) -> LossResult:
        """Return the loss of each matrix; nothing is sampled."""
        return LossResult(self.config.of_scores(scores), {})

    def proxies(self, labels: Int64[Tensor, " n"]) -> Proxies:
        """Return the proxies to compare a batch with, of any norm.

        Args:
            labels: Class of each picture of the batch. Where only these classes enter, the other
                proxies get a gradient of zero.
        """
        chosen: Tensor = self.proxy
        classes = torch.arange(len(chosen), device=labels.device)
        only = self.config.batch_classes_only
        if (len(chosen) > MANY_CLASSES) if only is None else only:
            classes = classes[torch.bincount(labels, minlength=len(chosen)) > 0]
            chosen = chosen[classes]
        levels = (Level(vectors) for vectors in torch.split(chosen, self.groups, dim=1))
        return Proxies(Embedding(tuple(levels)), classes)
