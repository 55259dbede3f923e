"""The training objective: from embeddings and labels to one number, whatever the head."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

import torch
from jaxtyping import Float, Int64
from pydantic import BeforeValidator, Field
from torch import Tensor, nn

from lookalike.config import Config
from lookalike.errors import ConfigError
from lookalike.heads.grouped import group_norms
from lookalike.losses.binomial import BinomialDeviance
from lookalike.losses.contrastive import Contrastive
from lookalike.losses.divergence import Divergence
from lookalike.losses.diversity import Diversity
from lookalike.losses.margin import Margin
from lookalike.losses.pairs import check_labels, pairs_with_classes, pairs_within
from lookalike.losses.proxy_anchor import ProxyAnchor
from lookalike.protocols import Loss, LossShape, PairScores, TrainableSimilarity
from lookalike.types import Embedding

LossConfig = Annotated[
    Contrastive | BinomialDeviance | Margin | ProxyAnchor, Field(discriminator="kind")
]


def _with_kind(value: object) -> object:
    """Read a mapping without a kind as a diversity: once there was no other kind."""
    return {"kind": "diversity", **value} if isinstance(value, dict) else value


DiversityConfig = Annotated[
    Diversity | Divergence, Field(discriminator="kind"), BeforeValidator(_with_kind)
]


class ObjectiveConfig(Config):
    """A metric loss on every matrix of the similarity, and what keeps several groups apart.

    >>> from lookalike.similarity import Cosine
    >>> similarity = Cosine().build(1)
    >>> objective = ObjectiveConfig(loss=Margin()).build(similarity, classes=2, groups=1, dim=3)
    >>> result = objective(Embedding.of(torch.eye(3)), torch.tensor([0, 0, 1]), torch.arange(3))
    >>> sorted(result.terms)
    ['active', 'boundary', 'metric', 'without_positives']
    """

    loss: LossConfig = Margin()
    over_groups: Literal["mean", "sum"] = "mean"
    """How the groups' losses are put together. A sum grows with the number of groups, and then
    counts more beside the diversity."""
    diversity: DiversityConfig | None = None
    """What keeps the groups apart; its `kind` is "diversity" (METHODS 1), also where none is
    named, or "divergence" (METHODS 2)."""
    level_weights: tuple[Annotated[float, Field(ge=0)], ...] | None = None
    """How much the loss of each level of a graph counts, low to high, where that of its final
    distance counts 1; None is the mean over all matrices."""

    def build(
        self,
        similarity: TrainableSimilarity,
        *,
        classes: int,
        groups: int,
        dim: int,
        levels: int = 1,
        seed: int = 0,
    ) -> "Objective":
        """Build the objective.

        Args:
            similarity: The model's own.
            classes: Number of training classes; labels are below it.
            groups: Groups of the model's head, in each level.
            dim: Numbers in each group.
            levels: Levels of the model's head.
            seed: For parameters that start at random.

        Raises:
            ConfigError: The settings are for groups and the similarity has levels, or the other way
                round, or the weights are for another number of levels.
        """
        of_levels = similarity.matrices_of == "levels"
        weights = self._level_weights(levels) if of_levels else self._group_weights(groups)
        shape = LossShape(
            classes, groups, dim, levels=levels, matrices=similarity.matrices, seed=seed
        )
        return Objective(
            similarity,
            self.loss.build(shape),
            classes=classes,
            diversity=self.diversity,
            weights=weights,
        )

    def _group_weights(self, groups: int) -> tuple[float, ...] | None:
        if self.level_weights is not None:
            raise ConfigError("objective.level_weights: only a graph has levels to weigh")
        return None if self.over_groups == "mean" else (1.0,) * groups

    def _level_weights(self, levels: int) -> tuple[float, ...] | None:
        if self.diversity is not None:
            raise ConfigError("objective.diversity: it keeps groups apart, and a graph has none")
        if self.over_groups == "sum":
            raise ConfigError(
                "objective.over_groups = sum: a graph has levels, not groups; "
                "objective.level_weights says how much each counts"
            )
        if self.level_weights is None:
            return None
        if len(self.level_weights) != levels:
            raise ConfigError(
                f"objective.level_weights: {len(self.level_weights)} weights for {levels} levels"
            )
        return (*self.level_weights, 1.0)


@dataclass(frozen=True, slots=True)
class ObjectiveResult:
    """The objective of one batch, and what it was made of.

    Args:
        value: The number to minimise, with history, even where no pair counts.
        terms: Detached scalars worth logging: `metric`, `diversity` or `divergence` if there is
            one, `without_positives` (rows that have nothing to be pulled to), and those of the
            loss.
    """

    value: Float[Tensor, ""]
    terms: dict[str, Float[Tensor, ""]]


class Objective(nn.Module):
    """A metric loss on the similarity's matrices, plus λ times what keeps the groups apart.

    It is a module, so that proxies and learnt boundaries are optimised, moved and saved with the
    rest. It computes in float32 (float64 stays) under any autocast. Vectors are divided by their
    norms once more: in half precision norms are wrong by up to 0.4 %. In train mode the similarity
    observes every batch before it is scored.

    Args:
        similarity: The model's own; the loss reads its cosines.
        loss: What to minimise.
        classes: Number of training classes.
        diversity: What keeps the groups apart; None leaves it out.
        weights: How much the loss of each matrix counts; None is the mean.
    """

    def __init__(
        self,
        similarity: TrainableSimilarity,
        loss: Loss,
        *,
        classes: int,
        diversity: Diversity | Divergence | None = None,
        weights: tuple[float, ...] | None = None,
    ) -> None:
        super().__init__()
        self.similarity = similarity
        self.loss = loss
        self.classes = classes
        self.diversity = diversity
        self.weights = weights

    def forward(
        self,
        embedding: Embedding,
        labels: Int64[Tensor, " n"],
        ids: Int64[Tensor, " n"],
        *,
        generator: torch.Generator | None = None,
    ) -> ObjectiveResult:
        """Return the objective of one batch.

        Args:
            embedding: What the head gave.
            labels: Class codes below `classes`.
            ids: Which picture each row is; a picture is no positive of itself.
            generator: Feeds whatever the loss samples; on the embedding's device.

        Raises:
            UsageError: A label is out of range.
            ConfigError: The masks of the groups are to differ, and the head gave none.
        """
        check_labels(labels, classes=self.classes)
        with torch.autocast(labels.device.type, enabled=False):
            embedding = self._normalised(embedding)
            if self.training:
                self.similarity.observe(embedding)
            scores = self._scores(embedding, labels, ids)
            metric = self.loss(scores, generator=generator)
            value = self._together(metric.per_matrix)
            terms = metric.terms | {
                "metric": value.detach(),
                "without_positives": (~scores.positive.any(1)).sum().to(value),
            }
            if self.diversity is not None:
                alike = self.diversity.penalty(embedding.levels[0])
                value = value + self.diversity.weight * alike
                terms[self.diversity.kind] = alike.detach()
        return ObjectiveResult(value, terms)

    def _scores(
        self, embedding: Embedding, labels: Int64[Tensor, " n"], ids: Int64[Tensor, " n"]
    ) -> PairScores:
        vectors = self.similarity.unit_vectors(embedding.levels[0])
        proxies = self.loss.proxies(labels)
        if proxies is None:
            columns = embedding
            positive, negative = pairs_within(labels, ids)
        else:
            columns = self._normalised(proxies.embedding).to(vectors.dtype)
            positive, negative = pairs_with_classes(labels, classes=proxies.classes)
        cosines = self.similarity.cosines(embedding, columns)
        return PairScores(cosines, positive, negative, labels, dim=vectors.shape[2])

    def _together(self, per_matrix: Float[Tensor, " g"]) -> Float[Tensor, ""]:
        if self.weights is None:
            return per_matrix.mean()
        return per_matrix @ per_matrix.new_tensor(self.weights)

    def _normalised(self, embedding: Embedding) -> Embedding:
        dtype = torch.promote_types(embedding.levels[0].vectors.dtype, torch.float32)
        unit = self.similarity.unit_vectors
        return Embedding(
            tuple(
                replace(level, vectors=level.vectors / group_norms(unit(level)))
                for level in embedding.to(dtype).levels
            )
        )
