"""The weighted sum of the groups' cosines: the similarity of every head with one level."""

from typing import ClassVar, Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lookalike.accounts import PairAccount, PairMaps, Parts
from lookalike.config import Config
from lookalike.errors import ConfigError
from lookalike.protocols import Described, Matrices
from lookalike.types import Embedding, Level, Tokens


class Cosine(Config):
    """A weighted sum of the cosines of the groups."""

    kind: Literal["cosine"] = "cosine"
    matrices_of: ClassVar[Matrices] = "groups"
    weights: tuple[float, ...] | None = None
    """One weight a group; None is 1/g each, the mean of the groups' cosines."""

    def build(self, groups: int, levels: int = 1) -> "CosineSimilarity":
        """Build the similarity for embeddings with this many groups.

        Raises:
            ConfigError: The number of weights is another, or there are several levels.
        """
        if levels != 1:
            raise ConfigError(f"similarity.kind = cosine: {levels} levels need the kind graph")
        weights = self.weights or (1 / groups,) * groups
        if len(weights) != groups:
            raise ConfigError(f"similarity.weights: {len(weights)} weights for {groups} groups")
        return CosineSimilarity(torch.tensor(weights))


class CosineSimilarity(nn.Module):
    """`s(x, x') = Σ_p w_p ⟨e_p, e'_p⟩`, split by group, by position and by pair of positions.

    With the groups' vectors side by side and equal weights this is the cosine that retrieval
    uses (METHODS 0 and 1). It is bilinear: the score of two sums is the sum of the scores of their
    terms, so tokens split it without a rest.

    Args:
        weights: One for each group.
    """

    weights: Tensor
    matrices_of = Cosine.matrices_of
    splits_difference = False

    def __init__(self, weights: Float[Tensor, " g"]) -> None:
        super().__init__()
        self.register_buffer("weights", weights, persistent=False)

    @property
    def inner_product(self) -> bool:
        """Whether the score is an inner product of `candidates`: no weight is negative."""
        return not bool((self.weights < 0).any())

    @property
    def lowest(self) -> float:
        """The lowest possible score: every group has the opposite sign of its weight."""
        return -float(self.weights.abs().sum())

    @property
    def matrices(self) -> int:
        """How many matrices the losses read: one for each group."""
        return len(self.weights)

    def observe(self, embedding: Embedding) -> None:
        """Learn nothing: there is nothing to learn but by gradients."""

    def settle(self) -> None:
        """Do nothing, as nothing was learnt from batches."""

    def forget(self) -> None:
        """Do nothing, as nothing was learnt from batches."""

    def _vectors(self, e: Embedding) -> Float[Tensor, "n g d"]:
        if len(e.levels) != 1 or e.levels[0].vectors.shape[1] != len(self.weights):
            shapes = [tuple(level.vectors.shape[1:]) for level in e.levels]
            raise ValueError(
                f"cosine over {len(self.weights)} groups needs one level of as many vectors, "
                f"got levels of (groups, numbers) {shapes}: was this embedded by another model?"
            )
        return e.levels[0].vectors

    def _weighted(self, e: Embedding) -> Float[Tensor, "n g d"]:
        vectors = self._vectors(e)
        return vectors * self.weights.to(vectors)[:, None]

    def unit_vectors(self, level: Level) -> Float[Tensor, "n g d"]:
        """Return what has a norm of 1 in a level: the vector of each group."""
        return level.vectors

    def matrix(self, a: Embedding, b: Embedding) -> Float[Tensor, "n m"]:
        """Score all against all."""
        return self._weighted(a).flatten(1) @ self._vectors(b).flatten(1).T

    def pairs(self, a: Embedding, b: Embedding, *, history: bool = False) -> Float[Tensor, " n"]:
        """Score row by row; with `history`, gradients reach both embeddings."""
        with torch.set_grad_enabled(history and torch.is_grad_enabled()):
            return (self._weighted(a) * self._vectors(b)).sum(dim=(1, 2))

    def parts(self, a: Embedding, b: Embedding) -> Parts:
        """Return what each group gives to the score of each pair."""
        values = (self._weighted(a) * self._vectors(b)).sum(dim=2)
        names = tuple(f"group {p}" for p in range(values.shape[1]))
        return Parts(values, names, groups=names, group_of=tuple(range(len(names))))

    def candidates(self, e: Embedding) -> Float[Tensor, "n all"] | None:
        """Return vectors whose inner product is the score; None where a weight is negative."""
        if not self.inner_product:
            return None
        vectors = self._vectors(e)
        return (vectors * self.weights.to(vectors).sqrt()[:, None]).flatten(1)

    def bound(self, query: Embedding, gallery: Embedding) -> None:
        """Offer none: scores are as cheap as a bound would be."""

    def cosines(self, a: Embedding, b: Embedding) -> Float[Tensor, "g n m"]:
        """Return the cosines of each group, unweighted: what the losses read."""
        return torch.einsum("ngd,mgd->gnm", self._vectors(a), self._vectors(b))

    def maps(self, a: Tokens, b: Tokens) -> PairMaps:
        """Split each group's contribution over the positions of either picture, row by row."""
        return PairMaps(self._over(a, b), self._over(b, a))

    def _over(self, tokens: Tokens, other: Tokens) -> Float[Tensor, "n g h w"]:
        against = self._weighted(other.embedding())
        over = torch.einsum("ngpd,ngd->ngp", tokens.levels[0], against)
        return over.view(*over.shape[:2], *tokens.grids[0])

    def regions(self, a: Tokens, b: Tokens) -> Float[Tensor, "n pa pb"]:
        """Split each pair's score over pairs of positions, row by row."""
        left = a.levels[0] * self.weights.to(a.levels[0])[:, None, None]
        return torch.einsum("ngpd,ngqd->npq", left, b.levels[0])

    def shared(self, a: Tokens, b: Tokens) -> PairMaps:
        """Return `maps`: a product is only where both pictures have something."""
        return self.maps(a, b)

    @torch.no_grad()
    def account(self, a: Described, b: Described) -> PairAccount:
        """Split each score by group, by position and by pair of positions, in float64.

        In float64 a gap between score and sum is that of the model's own numbers, not one of
        adding them up.
        """
        exact = torch.float64
        parts = self.parts(a.embedding.to(exact), b.embedding.to(exact))
        left, right = a.tokens.to(exact), b.tokens.to(exact)
        return PairAccount(
            parts.groups, parts.by_group(), self.maps(left, right), self.regions(left, right)
        )
