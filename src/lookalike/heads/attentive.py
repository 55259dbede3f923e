"""A: attentive grouping (Xu et al. 2020, arXiv 2011.08877, section 3; METHODS 1)."""

from typing import Annotated, Literal

import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor, nn

from lookalike.heads.base import OneStage, share_of
from lookalike.heads.grouped import ATTENTION, GroupedHead


class Attentive(OneStage):
    """Learnable queries that each attend to an area of the picture."""

    kind: Literal["attentive"] = "attentive"
    groups: Annotated[int, Field(ge=1)] = 4
    query_scale: Annotated[float, Field(ge=0)] = 1.0
    """How sharp attention is before training, as a factor on the first queries."""

    def head(self, channels: int, dim: int, stage: int) -> "AttentiveHead":
        """Build the head on a map."""
        return AttentiveHead(self, channels, dim=share_of(dim, self.groups), stage=stage)


class AttentiveHead(GroupedHead):
    """`softmax over positions of Qᵀ K, times V`; the token at a position is A_p,hw · v_hw.

    Keys and values are 1×1 convolutions without bias, shared by all groups; a group is defined by
    its query alone. The embedding does not depend on the order of the positions. The attention of
    each group sums to one over the picture: an explanation names the group and where it looked.
    """

    shows = ATTENTION

    def __init__(self, config: Attentive, channels: int, *, dim: int, stage: int) -> None:
        super().__init__(groups=config.groups, dim=dim, stage=stage)
        key_dim = max(1, channels // 8)
        self.key = nn.Conv2d(channels, key_dim, 1, bias=False)
        self.value = nn.Conv2d(channels, dim, 1, bias=False)
        # The paper gives no deviation for the first queries: this one keeps Qᵀ K near that of K.
        noise = torch.randn(config.groups, key_dim)
        self.queries = nn.Parameter(noise * config.query_scale * key_dim**-0.5)

    def attention(self, z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n g h w"]:
        """Return the attention maps."""
        keys: Tensor = self.key(z).flatten(2)
        return torch.softmax(self.queries @ keys, dim=-1).view(len(z), self.groups, *z.shape[2:])

    def vectors(self, z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n g d"]:
        """Attend, then sum: A Vᵀ."""
        values: Tensor = self.value(z).flatten(2)
        return self.attention(z).flatten(2) @ values.transpose(1, 2)

    def positions(self, z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n g p d"]:
        """Weigh each position's values by each group's attention."""
        values: Tensor = self.value(z).flatten(2)
        attention = self.attention(z).flatten(2)
        return attention[..., None] * values.transpose(1, 2)[:, None]
