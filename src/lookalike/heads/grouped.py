"""What every head with one level shares: the L2 norm of each group, and law 1."""

from abc import ABC, abstractmethod

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lookalike.errors import ConfigError
from lookalike.types import Embedding, FeatureMaps, Level, Tokens

EPSILON = 1e-6
"""A vector with a smaller norm counts as zero."""


def group_norms(vectors: Float[Tensor, "n g d"]) -> Float[Tensor, "n g 1"]:
    """Return the L2 norm of each group, to divide by: 1 where the vector counts as zero.

    Dividing a zero vector by 1 keeps its gradient finite, in half precision too.
    """
    norms: Tensor = torch.linalg.vector_norm(vectors, dim=-1, keepdim=True)
    return norms.masked_fill(norms < EPSILON, 1)


def channels_at(channels: tuple[int, ...], stage: int) -> int:
    """Return the channels of a stage.

    Raises:
        ConfigError: The backbone has no such stage.
    """
    if not -len(channels) <= stage < len(channels):
        raise ConfigError(
            f"head.stage = {stage}: the backbone has {len(channels)} stages, "
            f"{-len(channels)} to {len(channels) - 1}"
        )
    return channels[stage]


def uniform_weights(z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n 1 h w"]:
    """Return the weights of average pooling: every position the same."""
    n, _, h, w = z.shape
    return torch.full((n, 1, h, w), 1 / (h * w), dtype=z.dtype, device=z.device)


class GroupedHead(nn.Module, ABC):
    """A head whose embedding is g vectors of L2 norm 1, each a sum over the positions of one map.

    A subclass gives the sum (`vectors`) and what is summed (`positions`); the division by the
    norm is done here, by the same norm for both, so that law 1 holds for every head.

    Args:
        groups: Number of groups g.
        dim: Numbers in each group d.
        stage: Which of the backbone's maps to read; negative counts from the last.
    """

    def __init__(self, *, groups: int, dim: int, stage: int) -> None:
        super().__init__()
        self.groups = groups
        self.dim = dim
        self.stage = stage

    @abstractmethod
    def vectors(self, z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n g d"]:
        """Return the vectors before they are divided by their norms."""

    @abstractmethod
    def positions(self, z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n g p d"]:
        """Return what `vectors` is the sum of."""

    @abstractmethod
    def weights(self, z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n g h w"]:
        """Return how much each group takes from each position: not negative, sums to one."""

    def forward(self, maps: FeatureMaps) -> Embedding:
        """Return the embedding, one level of unit vectors."""
        vectors = self.vectors(maps.stages[self.stage])
        return Embedding((Level(vectors / group_norms(vectors)),))

    def tokens(self, maps: FeatureMaps) -> Tokens:
        """Return the embedding before its sum over positions (law 1)."""
        z = maps.stages[self.stage]
        tokens = self.positions(z)
        norms = group_norms(tokens.sum(dim=2))
        return Tokens((tokens / norms[:, :, None],), ((z.shape[2], z.shape[3]),))

    def attention(self, maps: FeatureMaps) -> Float[Tensor, "n g h w"]:
        """Return how much each group takes from each position: not negative, sums to one."""
        return self.weights(maps.stages[self.stage])
