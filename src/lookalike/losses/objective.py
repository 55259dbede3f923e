"""The training objective: from embeddings and labels to one number, whatever the head."""

from typing import Annotated

import torch
from jaxtyping import Float, Int64
from pydantic import Field
from torch import Tensor, nn

from lookalike.config import Config
from lookalike.heads.grouped import group_norms
from lookalike.losses.binomial import BinomialDeviance
from lookalike.losses.contrastive import Contrastive
from lookalike.losses.diversity import Diversity, diversity_loss
from lookalike.losses.margin import Margin
from lookalike.losses.pairs import check_labels, pairs_with_classes, pairs_within
from lookalike.losses.proxy_anchor import ProxyAnchor
from lookalike.protocols import Loss, LossResult, PairScores, Similarity
from lookalike.types import Embedding, Level

LossConfig = Annotated[
    Contrastive | BinomialDeviance | Margin | ProxyAnchor, Field(discriminator="kind")
]


class ObjectiveConfig(Config):
    """A metric loss and, for several groups, their diversity.

    >>> from lookalike.similarity import Cosine
    >>> similarity = Cosine().build(1)
    >>> objective = ObjectiveConfig(loss=Margin()).build(similarity, classes=2, groups=1, dim=3)
    >>> result = objective(Embedding.of(torch.eye(3)), torch.tensor([0, 0, 1]), torch.arange(3))
    >>> sorted(result.terms)
    ['active', 'boundary', 'metric', 'without_positives']
    """

    loss: LossConfig = Margin()
    diversity: Diversity | None = None

    def build(
        self, similarity: Similarity, *, classes: int, groups: int, dim: int, seed: int = 0
    ) -> "Objective":
        """Build the objective.

        Args:
            similarity: The model's own.
            classes: Number of training classes; labels are below it.
            groups: Groups of the model's head.
            dim: Numbers in each group.
            seed: For parameters that start at random.
        """
        loss = self.loss.build(classes=classes, groups=groups, dim=dim, seed=seed)
        return Objective(similarity, loss, classes=classes, diversity=self.diversity)


class Objective(nn.Module):
    """A metric loss on the cosines of each group, plus λ₁ times their diversity.

    A module, so that proxies and learnt margins are optimised, moved and saved with the rest.
    Computed in float32 (float64 stays) under any autocast. Vectors are divided by their norms
    once more: half precision leaves norms off by up to 0.4 %.

    Args:
        similarity: The model's own; its cosines are what the loss reads.
        loss: What to minimise.
        classes: Number of training classes.
        diversity: Keeps the groups apart; None leaves it out.
    """

    def __init__(
        self,
        similarity: Similarity,
        loss: Loss,
        *,
        classes: int,
        diversity: Diversity | None = None,
    ) -> None:
        super().__init__()
        self.similarity = similarity
        self.loss = loss
        self.classes = classes
        self.diversity = diversity

    def forward(
        self,
        embedding: Embedding,
        labels: Int64[Tensor, " n"],
        ids: Int64[Tensor, " n"],
        *,
        generator: torch.Generator | None = None,
    ) -> LossResult:
        """Return the objective of one batch.

        Args:
            embedding: What the head gave.
            labels: Class codes below `classes`.
            ids: Which picture each row is; a picture is no positive of itself.
            generator: Feeds whatever the loss samples; on the embedding's device.

        Returns:
            The value, with history even where nothing counts, and as terms `metric`, `diversity`
            if there is one, `without_positives` (how many rows have nothing to be pulled to) and
            whatever the loss reports.

        Raises:
            UsageError: A label is out of range.
        """
        check_labels(labels, classes=self.classes)
        with torch.autocast(labels.device.type, enabled=False):
            scores = self._scores(_full_precision(embedding), labels, ids)
            metric = self.loss(scores, generator=generator)
            value = metric.value
            terms = metric.terms | {
                "metric": value.detach(),
                "without_positives": (~scores.positive.any(1)).sum().to(value),
            }
            if self.diversity is not None and scores.between is not None:
                apart = _diversity(self.diversity, scores.between)
                value = value + self.diversity.weight * apart
                terms["diversity"] = apart.detach()
        return LossResult(value, terms)

    def _scores(
        self, embedding: Embedding, labels: Int64[Tensor, " n"], ids: Int64[Tensor, " n"]
    ) -> PairScores:
        vectors = embedding.levels[0].vectors
        proxies = self.loss.proxies()
        if proxies is None:
            columns = embedding
            positive, negative = pairs_within(labels, ids)
        else:
            columns = proxies.to(vectors.dtype)
            positive, negative = pairs_with_classes(labels, classes=self.classes)
        return PairScores(
            self.similarity.cosines(embedding, columns),
            positive,
            negative,
            labels,
            dim=vectors.shape[2],
            between=None if self.diversity is None else vectors @ vectors.transpose(1, 2),
        )


def _full_precision(embedding: Embedding) -> Embedding:
    levels = []
    for level in embedding.levels:
        vectors = level.vectors.to(torch.promote_types(level.vectors.dtype, torch.float32))
        levels.append(Level(vectors / group_norms(vectors), level.certainty))
    return Embedding(tuple(levels))


def _diversity(config: Diversity, between: Float[Tensor, "n g g"]) -> Float[Tensor, ""]:
    return diversity_loss(
        between,
        alpha=config.alpha,
        margin=config.margin,
        negative_scale=config.negative_scale,
        normalisation=config.normalisation,
    )
