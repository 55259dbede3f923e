"""Proxy-Anchor: proxies pull and push all of the batch at once (Kim et al., CVPR 2020)."""

from typing import Annotated, Literal

import torch
from jaxtyping import Bool, Float, Int64
from pydantic import Field
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from lookalike.config import Config
from lookalike.protocols import LossResult, PairScores, Proxies
from lookalike.types import Embedding, Level

MANY_CLASSES = 1000
"""With more classes, only those of a batch enter its loss."""


class ProxyAnchor(Config):
    """A learnable proxy for each class, laid out as an embedding, compared with the batch.

    With d = 2 − 2s the form on squared distances with scale 16 that pulls by d − 1.8 and pushes
    by 2.2 − d (Zhang et al., CVPR 2022) is this same loss, number for number. Nothing else of d
    is used, so that holds of a graph's final distance too.
    """

    kind: Literal["proxy_anchor"] = "proxy_anchor"
    scale: Annotated[float, Field(gt=0)] = 32.0
    """How much more the hardest pictures count than the easy ones."""
    margin: Annotated[float, Field(ge=0)] = 0.1
    """Positives should exceed this cosine, negatives stay below its opposite."""
    batch_classes_only: bool | None = None
    """Compare with the proxies of the batch's classes alone; None does so above 1000 classes."""

    def build(
        self,
        *,
        classes: int,
        groups: int,
        dim: int,
        levels: int = 1,
        matrices: int | None = None,
        seed: int = 0,
    ) -> "ProxyAnchorLoss":
        """Build the loss, with proxies drawn from `seed`.

        Args:
            classes: Number of training classes.
            groups: Groups of the head, in each level.
            dim: Numbers in each group.
            levels: Levels of the head.
            matrices: Matrices to read, which the proxies do not depend on.
            seed: For the first proxies.
        """
        return ProxyAnchorLoss(
            self, classes=classes, groups=groups, dim=dim, levels=levels, seed=seed
        )


def proxy_anchor_loss(
    scores: PairScores, *, scale: float = 32.0, margin: float = 0.1
) -> Float[Tensor, " g"]:
    """Return the loss of the paper, for each matrix.

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
    return pull.sum(1) / present + push.mean(1)


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
        groups: Number of groups, in each level.
        dim: Numbers in each group.
        levels: Number of levels.
        seed: For the first proxies.

    Attributes:
        proxy: The proxies, of any norm, the groups of all levels side by side; learnt, usually at
            a higher learning rate.
    """

    def __init__(
        self,
        config: ProxyAnchor,
        *,
        classes: int,
        groups: int,
        dim: int,
        levels: int = 1,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.config = config
        self.groups = groups
        generator = torch.Generator().manual_seed(seed)
        noise = torch.randn(classes, levels * groups, dim, generator=generator)
        # He's deviation for `classes` outputs: the length decides how fast a proxy turns
        self.proxy = nn.Parameter(noise * (2 / classes) ** 0.5)

    def forward(
        self, scores: PairScores, *, generator: torch.Generator | None = None
    ) -> LossResult:
        """Return the loss of each matrix; nothing is sampled."""
        return LossResult(
            proxy_anchor_loss(scores, scale=self.config.scale, margin=self.config.margin), {}
        )

    def proxies(self, labels: Int64[Tensor, " n"]) -> Proxies:
        """Return the proxies to compare a batch with, whatever their norms.

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
