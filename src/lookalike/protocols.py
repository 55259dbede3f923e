"""The architecture on one page: what a backbone, a head, a similarity and a loss promise.

A new method is a head and a similarity. Two laws tie them together, and every explanation rests
on nothing else:

1. Tokens sum to the embedding: `head.tokens(maps).embedding()` equals `head(maps)`.
2. Parts sum to the score: `similarity.parts(a, b).values.sum(1)` equals `similarity.pairs(a, b)`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from lookalike.preprocessing import Preprocessing
from lookalike.types import Breakdown, Embedding, FeatureMaps, Level, PairMaps, Parts, Tokens


@runtime_checkable
class Backbone(Protocol):
    """A network that turns pictures into maps, stage by stage."""

    names: tuple[str, ...]
    """Name of each stage, low to high."""
    channels: tuple[int, ...]
    """Channels of each stage."""
    strides: tuple[int, ...]
    """Input pixels per position of each stage."""
    preprocessing: Preprocessing
    """How its weights expect a picture to be prepared."""

    def __call__(self, images: Float[Tensor, "n 3 h w"]) -> FeatureMaps: ...


@runtime_checkable
class Head(Protocol):
    """What turns maps into an embedding, and can say which position gave what."""

    levels: int
    """How many levels the embedding has; more than one only for a graph."""
    groups: int
    """How many groups of numbers each level has."""
    dim: int
    """Numbers in each group."""

    def __call__(self, maps: FeatureMaps) -> Embedding: ...

    def tokens(self, maps: FeatureMaps) -> Tokens:
        """Return the embedding before its sum over positions (law 1)."""
        ...

    def attention(self, maps: FeatureMaps) -> Float[Tensor, "n g h w"]:
        """Return where each group looks: not negative, sums to one over the positions."""
        ...


@runtime_checkable
class HeadWithBreakdown(Head, Protocol):
    """A head that need not do three times what its embedding, tokens and attention share."""

    def breakdown(self, maps: FeatureMaps) -> Breakdown:
        """Return what the head, `tokens` and `attention` give, at little more than the head's cost.

        The embedding is made as it always is, never summed from the tokens: law 1 is what tells
        that the two agree.
        """
        ...


@runtime_checkable
class Similarity(Protocol):
    """What turns two embeddings into a score; bigger is more alike, always."""

    @property
    def inner_product(self) -> bool:
        """Whether the inner product of two `candidates` is the score itself."""
        ...

    @property
    def matrices(self) -> int:
        """How many matrices `cosines` returns."""
        ...

    def observe(self, embedding: Embedding) -> None:
        """Take in a training batch before it is scored, for what is learnt from batches alone."""
        ...

    def settle(self) -> None:
        """End an update: the batches observed since the last one count as one."""
        ...

    def unit_vectors(self, level: Level) -> Float[Tensor, "n v d"]:
        """Return what has a norm of 1 in a level of an embedding: its groups, or it as a whole."""
        ...

    def matrix(self, a: Embedding, b: Embedding) -> Float[Tensor, "n m"]:
        """Score all against all."""
        ...

    def pairs(self, a: Embedding, b: Embedding) -> Float[Tensor, " n"]:
        """Score row by row."""
        ...

    def parts(self, a: Embedding, b: Embedding) -> Parts:
        """Return each pair's score before its last sum (law 2)."""
        ...

    def candidates(self, e: Embedding) -> Float[Tensor, "n all"] | None:
        """Return vectors by which the most alike are near each other; None if there are none."""
        ...

    def bound(
        self, query: Embedding, gallery: Embedding
    ) -> Callable[[slice, slice], Float[Tensor, "n m"]] | None:
        """Return what gives, for some queries and some of the gallery, upper bounds of the scores.

        They hold of the scores as rounded, and are far cheaper. None if there is no such thing.
        """
        ...

    def maps(self, a: Tokens, b: Tokens) -> PairMaps:
        """Split each pair's parts over the positions of the pictures, row by row."""
        ...

    def regions(self, a: Tokens, b: Tokens) -> Float[Tensor, "n pa pb"]:
        """Split each pair's score over pairs of positions, row by row; the sum is the score."""
        ...

    def cosines(self, a: Embedding, b: Embedding) -> Float[Tensor, "g n m"]:
        """Return what the losses read: matrices of cosines, one for each group or level."""
        ...


@dataclass(frozen=True, slots=True)
class PairScores:
    """All that a loss may know: matrices, masks and labels, never the model.

    Columns are the batch itself for losses on pairs, the proxies for losses on proxies.

    Args:
        cosines: One matrix for each group, float32 or float64.
        positive: The column is another picture of the row's class, or its proxy.
        negative: The column is of another class.
        labels: Class of each row, below `classes`.
        dim: Numbers in each group's vectors; distance-weighted sampling depends on it.
        between: Cosines between the groups of one picture, for losses on diversity.
        weights: How much the loss of each matrix counts; None is 1/g each.
    """

    cosines: Float[Tensor, "g n m"]
    positive: Bool[Tensor, "n m"]
    negative: Bool[Tensor, "n m"]
    labels: Int64[Tensor, " n"]
    dim: int
    between: Float[Tensor, "n g g"] | None = None
    weights: tuple[float, ...] | None = None

    def total(self, per_group: Float[Tensor, " g"]) -> Float[Tensor, ""]:
        """Return the loss of all matrices from that of each: every loss ends in this sum."""
        if self.weights is None:
            return per_group.mean()
        return per_group @ per_group.new_tensor(self.weights)

    def squared_distances(self) -> Float[Tensor, "g n m"]:
        """Return ‖a − b‖² of the unit vectors: 2 − 2 cos, never below zero."""
        return (2 - 2 * self.cosines).clamp(min=0)

    def distances(self) -> Float[Tensor, "g n m"]:
        """Return √(‖a − b‖² + 1e-8), whose gradient stays finite where two vectors are equal."""
        return torch.sqrt(self.squared_distances() + 1e-8)


@dataclass(frozen=True, slots=True)
class LossResult:
    """A loss and what it was made of.

    Args:
        value: The number to minimise, a scalar with history.
        terms: Detached scalars worth logging, e.g. the share of active terms.
    """

    value: Float[Tensor, ""]
    terms: dict[str, Float[Tensor, ""]]

    def __add__(self, other: "LossResult") -> "LossResult":
        return LossResult(self.value + other.value, self.terms | other.terms)


@dataclass(frozen=True, slots=True)
class Proxies:
    """Learnt stand-ins for classes, which a batch is scored against.

    Args:
        embedding: One row a class, laid out as the head lays out a picture; norms do not count.
        classes: The class of each row.
    """

    embedding: Embedding
    classes: Int64[Tensor, " m"]


@runtime_checkable
class Loss(Protocol):
    """What is minimised; a module where it has parameters of its own."""

    def __call__(
        self, scores: PairScores, *, generator: torch.Generator | None = None
    ) -> LossResult:
        """Return the loss, summed by `scores.total`; `generator` feeds whatever it samples."""
        ...

    def proxies(self, labels: Int64[Tensor, " n"]) -> Proxies | None:
        """Return what to score a batch of these classes against; None is the batch itself."""
        ...
