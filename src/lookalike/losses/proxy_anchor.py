"""Proxy-Anchor: proxies pull and push all of the batch at once (Kim et al., CVPR 2020)."""

from typing import Annotated, Literal

import torch
from jaxtyping import Bool, Float
from pydantic import Field
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from lookalike.config import Config
from lookalike.heads.grouped import group_norms
from lookalike.protocols import LossResult, PairScores
from lookalike.types import Embedding


class ProxyAnchor(Config):
    """A learnable proxy for each class and group, compared with the batch.

    On unit vectors d² = 2 − 2s, so the form on squared distances with scale 16 that pulls by
    d² − 1.8 and pushes by 2.2 − d² (Zhang et al., CVPR 2022) is this same loss.
    """

    kind: Literal["proxy_anchor"] = "proxy_anchor"
    scale: Annotated[float, Field(gt=0)] = 32.0
    """How much more the hardest pictures count than the easy ones."""
    margin: Annotated[float, Field(ge=0)] = 0.1
    """Positives should exceed this cosine, negatives stay below its opposite."""

    def build(self, *, classes: int, groups: int, dim: int, seed: int = 0) -> "ProxyAnchorLoss":
        """Build the loss, with proxies drawn from `seed`."""
        return ProxyAnchorLoss(self, classes=classes, groups=groups, dim=dim, seed=seed)


def proxy_anchor_loss(
    scores: PairScores, *, scale: float = 32.0, margin: float = 0.1
) -> Float[Tensor, ""]:
    """Return the loss of the paper, averaged over groups.

    `log(1 + Σ exp(−α (s − δ)))` over each proxy's positives, averaged over the proxies that have
    some, plus `log(1 + Σ exp(α (s + δ)))` over its negatives, averaged over all proxies.

    Args:
        scores: The batch, in rows, against the proxies, in columns.
        scale: α.
        margin: δ.
    """
    pull = _softplus_sum(scale * (margin - scores.cosines), scores.positive)
    push = _softplus_sum(scale * (margin + scores.cosines), scores.negative)
    # a proxy without positives adds nothing to the sum
    present = scores.positive.any(0).sum().clamp(min=1)
    return (pull.sum(1) / present + push.mean(1)).mean()


def _softplus_sum(
    logits: Float[Tensor, "g n m"], kept: Bool[Tensor, "n m"]
) -> Float[Tensor, "g m"]:
    """Return log(1 + Σ exp) over the rows kept, zero where there are none."""
    return -logsigmoid(-logits.masked_fill(~kept, -torch.inf).logsumexp(dim=1))


class ProxyAnchorLoss(nn.Module):
    """`proxy_anchor_loss` against proxies of its own.

    Args:
        config: The numbers.
        classes: Number of training classes.
        groups: Number of groups.
        dim: Numbers in each group.
        seed: For the first proxies.

    Attributes:
        proxy: The proxies before they are normalised, learnt, usually at a higher learning rate.
    """

    def __init__(
        self, config: ProxyAnchor, *, classes: int, groups: int, dim: int, seed: int = 0
    ) -> None:
        super().__init__()
        self.config = config
        noise = torch.randn(classes, groups, dim, generator=torch.Generator().manual_seed(seed))
        # He's deviation for `classes` outputs: the length decides how fast a proxy turns
        self.proxy = nn.Parameter(noise * (2 / classes) ** 0.5)

    def forward(
        self, scores: PairScores, *, generator: torch.Generator | None = None
    ) -> LossResult:
        """Return the mean over groups; nothing is sampled."""
        return LossResult(
            proxy_anchor_loss(scores, scale=self.config.scale, margin=self.config.margin), {}
        )

    def proxies(self) -> Embedding:
        """Return the proxies as unit vectors, one row a class."""
        return Embedding.of(self.proxy / group_norms(self.proxy))
