"""What all heads share that read one map: the L2 norm of each group, and law 1."""

from abc import ABC, abstractmethod
from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lookalike.accounts import Breakdown, MapMeaning
from lookalike.types import Embedding, FeatureMaps, Level, Tokens

EPSILON = 1e-6
"""A vector with a smaller norm counts as zero."""

ATTENTION = MapMeaning("attention", "Attention: the share that the group takes from each position.")
STRONGEST_CHANNEL = MapMeaning(
    "strongest channel",
    "Strongest channel: the response of that channel of the group which peaks highest in the "
    "picture; values below zero are cut off.",
)
TOKEN_LENGTH = MapMeaning(
    "token length",
    "Token length: this head weighs all positions alike and looks nowhere in particular, so the "
    "map shows where the group's vector comes from, as each token's share of all their lengths.",
)


def group_norms(vectors: Float[Tensor, "n g d"]) -> Float[Tensor, "n g 1"]:
    """Return the L2 norm of each group, to divide by: 1 where the vector counts as zero.

    Dividing a zero vector by 1 keeps its gradient finite, in half precision too.
    """
    norms: Tensor = torch.linalg.vector_norm(vectors, dim=-1, keepdim=True)
    return norms.masked_fill(norms < EPSILON, 1)


def strongest_channel(gated: Float[Tensor, "n g c h w"]) -> Float[Tensor, "n g h w"]:
    """Return where each group's strongest channel responds: not negative, sums to one.

    The strongest channel is the one with the highest peak in this picture. Its values below zero
    are cut off; where nothing is left, every position weighs the same.
    """
    strongest = gated.amax(dim=(3, 4)).argmax(dim=2)
    index = strongest[..., None, None, None].expand(-1, -1, 1, *gated.shape[3:])
    response = gated.gather(2, index)[:, :, 0].clamp(min=0)
    total = response.sum(dim=(2, 3), keepdim=True)
    nothing = total < EPSILON
    return torch.where(nothing, torch.ones_like(response), response) / torch.where(
        nothing, torch.full_like(total, gated.shape[3] * gated.shape[4]), total
    )


class GroupedHead(nn.Module, ABC):
    """A head whose embedding is g vectors of L2 norm 1, each a sum over the positions of one map.

    A subclass gives the sum (`vectors`) and what is summed (`positions`). Both are divided by the
    same norm here, so law 1 holds for every head.

    Args:
        groups: Number of groups g.
        dim: Numbers in each group d.
        stage: Which of the backbone's maps to read; negative counts from the last.
    """

    shows = TOKEN_LENGTH

    def __init__(self, *, groups: int, dim: int, stage: int) -> None:
        super().__init__()
        self.levels = 1
        self.groups = groups
        self.dim = dim
        self.stage = stage

    @abstractmethod
    def vectors(self, z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n g d"]:
        """Return the vectors before they are divided by their norms."""

    @abstractmethod
    def positions(self, z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n g p d"]:
        """Return what `vectors` is the sum of."""

    def attention(self, z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n g h w"] | None:
        """Return where each group looks: not negative, sums to one over the positions.

        None, as here, where all positions weigh the same in every group.
        """
        return None

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

    def breakdown(self, maps: FeatureMaps) -> Breakdown:
        """Return everything that the head knows of these pictures."""
        z = maps.stages[self.stage]
        vectors = self.vectors(z)
        norms = group_norms(vectors)
        return Breakdown(
            embedding=Embedding((Level(vectors / norms),)),
            tokens=self.tokens(maps),
            vectors=(vectors,),
            norms=(norms,),
            read=(z,),
            attended=z,
            attention=self.attention(z),
        )

    def pretrained_parameters(self) -> Iterator[nn.Parameter]:
        """Yield nothing: all weights of the head are new."""
        yield from ()
