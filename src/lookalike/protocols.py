"""The architecture on one page: what a backbone, a head, a similarity and a loss must offer.

A new method is a head and a similarity; no other room asks which one it has. Two laws hold for all
of them, and every explanation rests on these laws alone:

1. Tokens sum to the embedding: `head.tokens(maps).embedding()` equals `head(maps)`.
2. Parts sum to the score: `similarity.parts(a, b).values.sum(1)` equals `similarity.pairs(a, b)`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from lookalike.accounts import Breakdown, MapMeaning, PairAccount, PairMaps, Parts
from lookalike.preprocessing import Preprocessing
from lookalike.types import Embedding, FeatureMaps, Level, Tokens

Bound = Callable[[slice, slice], Float[Tensor, "n m"]]
"""Gives upper bounds of the scores of some queries with some of the gallery."""
Matrices = Literal["groups", "levels"]
"""What a loss reads: a matrix for each group, or for each level and then one for the score."""


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
    """A module that turns maps into an embedding, and knows which position gave what."""

    levels: int
    """How many levels the embedding has; more than one only for a graph."""
    groups: int
    """How many groups of numbers each level has."""
    dim: int
    """Numbers in each group."""
    shows: MapMeaning
    """What its attention is, or the lengths of its tokens where it has no attention."""

    def __call__(self, maps: FeatureMaps) -> Embedding:
        """Return the embedding; in eval mode with the full history, certainties included."""

    def tokens(self, maps: FeatureMaps) -> Tokens:
        """Return the embedding before its sum over positions (law 1)."""

    def breakdown(self, maps: FeatureMaps) -> Breakdown:
        """Return everything that the head knows of these pictures, at little more than its cost.

        The embedding is made as it always is, never summed from the tokens. So a check of law 1
        on a breakdown is a real check.
        """

    def pretrained_parameters(self) -> Iterator[nn.Parameter]:
        """Yield what started from the backbone's weights and is trained at the backbone's rate."""

    def parameters(self, recurse: bool = True) -> Iterator[nn.Parameter]:
        """Yield all weights, as every module does."""

    def train(self, mode: bool = True) -> nn.Module:
        """Set train or eval mode, as every module does."""


@runtime_checkable
class Described(Protocol):
    """Pictures as an account needs them, e.g. a `Breakdown`."""

    @property
    def embedding(self) -> Embedding:
        """What is compared."""

    @property
    def tokens(self) -> Tokens:
        """The embedding before its sum over positions."""


@runtime_checkable
class Similarity(Protocol):
    """What turns two embeddings into a score; a higher score always means more alike."""

    @property
    def inner_product(self) -> bool:
        """Whether the inner product of two `candidates` is the score itself."""

    @property
    def lowest(self) -> float:
        """The lowest score that two pictures can have; -inf if there is none."""

    @property
    def splits_difference(self) -> bool:
        """Whether the score is a distance's negative.

        A distance is smallest where there is nothing, so its `maps` rank empty ground first;
        `shared` gives the map to show.
        """

    def matrix(self, a: Embedding, b: Embedding) -> Float[Tensor, "n m"]:
        """Score all against all."""

    def pairs(self, a: Embedding, b: Embedding, *, history: bool = False) -> Float[Tensor, " n"]:
        """Score row by row; with `history`, gradients reach both embeddings."""

    def parts(self, a: Embedding, b: Embedding) -> Parts:
        """Return the score of each pair before its last sum (law 2)."""

    def candidates(self, e: Embedding) -> Float[Tensor, "n all"] | None:
        """Return vectors that are close where the score is high; None if there are none."""

    def bound(self, query: Embedding, gallery: Embedding) -> Bound | None:
        """Return upper bounds of the scores that cost far less; None if there are none.

        They hold for the scores as rounded.
        """

    def maps(self, a: Tokens, b: Tokens) -> PairMaps:
        """Split the parts of each pair over the positions of the pictures, row by row."""

    def regions(self, a: Tokens, b: Tokens) -> Float[Tensor, "n pa pb"]:
        """Split the score of each pair over pairs of positions; they sum to the score."""

    def shared(self, a: Tokens, b: Tokens) -> PairMaps:
        """Return where each picture has what the other has too, in score units.

        For cosines these are `maps`. For a distance, what only one picture has is left out.
        """

    def account(self, a: Described, b: Described) -> PairAccount:
        """Split the score of each pair in every way that an explanation shows, row by row."""


@runtime_checkable
class TrainableSimilarity(Similarity, Protocol):
    """A similarity that a model can be trained with."""

    @property
    def matrices(self) -> int:
        """How many matrices `cosines` returns."""

    @property
    def matrices_of(self) -> Matrices:
        """What the matrices belong to."""

    def unit_vectors(self, level: Level) -> Float[Tensor, "n v d"]:
        """Return the vectors of norm 1 in a level: each group's, or the level as one vector."""

    def cosines(self, a: Embedding, b: Embedding) -> Float[Tensor, "g n m"]:
        """Return what the losses read: one matrix of cosines for each group or level."""

    def observe(self, embedding: Embedding) -> None:
        """Learn from a training batch what is not learnt by gradients; call it before scoring."""

    def settle(self) -> None:
        """End an update: the batches observed since the last update count as one."""

    def forget(self) -> None:
        """Forget what `observe` learnt; the next batches start anew."""


@dataclass(frozen=True, slots=True)
class PairScores:
    """All that a loss may know: matrices, masks and labels, never the model.

    Columns are the batch itself for losses on pairs, the proxies for losses on proxies.

    Args:
        cosines: One matrix for each group or level, float32 or float64.
        positive: The column is another picture of the row's class, or the proxy of that class.
        negative: The column is of another class.
        labels: Class of each row, below `classes`.
        dim: Numbers in each group's vectors; distance-weighted sampling depends on it.
    """

    cosines: Float[Tensor, "g n m"]
    positive: Bool[Tensor, "n m"]
    negative: Bool[Tensor, "n m"]
    labels: Int64[Tensor, " n"]
    dim: int

    def squared_distances(self) -> Float[Tensor, "g n m"]:
        """Return ‖a − b‖² of the unit vectors: 2 − 2 cos, never below zero."""
        return (2 - 2 * self.cosines).clamp(min=0)

    def distances(self) -> Float[Tensor, "g n m"]:
        """Return √(‖a − b‖² + 1e-8), whose gradient stays finite where two vectors are equal."""
        return torch.sqrt(self.squared_distances() + 1e-8)


@dataclass(frozen=True, slots=True)
class LossShape:
    """What a loss must know to make its parameters.

    Args:
        classes: Number of training classes.
        groups: Groups of the head, in each level.
        dim: Numbers in each group.
        levels: Levels of the head.
        matrices: Matrices that the loss reads; None is one for each group.
        seed: For parameters that start at random.
    """

    classes: int
    groups: int
    dim: int
    levels: int = 1
    matrices: int | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class LossResult:
    """The loss of each matrix, and what is worth logging.

    Args:
        per_matrix: What to minimise, one value for each matrix, with history.
        terms: Detached scalars worth logging, e.g. the share of active terms.
    """

    per_matrix: Float[Tensor, " g"]
    terms: dict[str, Float[Tensor, ""]]


@dataclass(frozen=True, slots=True)
class Proxies:
    """Learnt stand-ins for classes, which a batch is scored against.

    Args:
        embedding: One row for each class, laid out as the head lays out a picture; of any norm.
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
        """Return the loss of each matrix; `generator` feeds whatever is sampled."""

    def proxies(self, labels: Int64[Tensor, " n"]) -> Proxies | None:
        """Return what to score a batch of these classes against; None is the batch itself."""
