"""C: channel weights for each group, as in squeeze-and-excitation (Xu et al. 2020, "C")."""

from typing import Annotated, Literal

import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor, nn

from lookalike.heads.base import OneStage, share_of
from lookalike.heads.grouped import (
    STRONGEST_CHANNEL,
    GroupedHead,
    strongest_channel,
)


class Channel(OneStage):
    """A set of weights of the map's channels for each group, and one linear layer for all."""

    kind: Literal["channel"] = "channel"
    groups: Annotated[int, Field(ge=1)] = 4
    reduction: Annotated[int, Field(ge=1)] = 5
    """Channels of the map for each unit of the hidden layer."""

    def head(self, channels: int, dim: int, stage: int) -> "ChannelHead":
        """Build the head on a map."""
        return ChannelHead(self, channels, dim=share_of(dim, self.groups), stage=stage)


class ChannelHead(GroupedHead):
    """`W · avgpool(z ∘ w_p) + b`; the token at a position is W (z_hw ∘ w_p) / HW + b / HW.

    An explanation names the group and splits it exactly over positions. The weights are for
    channels and are the same all over the picture: a group chooses what to look for, not where.
    `attention` is what the paper draws instead (its figure 5): the response of the group's
    strongest channel. The share of the bias is spread evenly over the positions.
    """

    shows = STRONGEST_CHANNEL

    def __init__(self, config: Channel, channels: int, *, dim: int, stage: int) -> None:
        super().__init__(groups=config.groups, dim=dim, stage=stage)
        reduced = max(1, channels // config.reduction)
        self.excitations = nn.ModuleList(
            nn.Sequential(
                nn.Linear(channels, reduced, bias=False),
                nn.ReLU(),
                nn.Linear(reduced, channels, bias=False),
                nn.Sigmoid(),
            )
            for _ in range(config.groups)
        )
        self.linear = nn.Linear(channels, dim)

    def channel_weights(self, z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n g c"]:
        """Return the weight of each channel in each group, in (0, 1)."""
        pooled = z.mean(dim=(2, 3))
        return torch.stack([excite(pooled) for excite in self.excitations], dim=1)

    def vectors(self, z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n g d"]:
        """Weigh the channels of the pooled map, then project."""
        vectors: Tensor = self.linear(z.mean(dim=(2, 3))[:, None] * self.channel_weights(z))
        return vectors

    def positions(self, z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n g p d"]:
        """Weigh and project each position, then divide by how many there are."""
        weighed = z.flatten(2).transpose(1, 2)[:, None] * self.channel_weights(z)[:, :, None]
        projected: Tensor = self.linear(weighed)
        return projected / weighed.shape[2]

    def attention(self, z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n g h w"]:
        """Return where each group's strongest channel responds."""
        return strongest_channel(z[:, None] * self.channel_weights(z)[..., None, None])
