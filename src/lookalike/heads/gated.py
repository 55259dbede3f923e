"""G: a mask over positions and channels for each group (Xu et al. 2020, "G"; METHODS 1)."""

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


class Gated(OneStage):
    """A mask of the map's own shape for each group, and one linear layer for all."""

    kind: Literal["gated"] = "gated"
    groups: Annotated[int, Field(ge=1)] = 4
    reduction: Annotated[int, Field(ge=1)] = 8
    """Channels of the map for each channel of the layer that the masks are made from."""

    def head(self, channels: int, dim: int, stage: int) -> "GatedHead":
        """Build the head on a map."""
        return GatedHead(self, channels, dim=share_of(dim, self.groups), stage=stage)


class GatedHead(GroupedHead):
    """`W · avgpool(z ∘ mask_p)`; the token at a position is W (z_hw ∘ mask_p,hw) / HW.

    An explanation names the group and splits it exactly over positions. A mask has one number for
    each channel at each position, of either sign: a position has no single weight, so there is no
    place where the group looks. `attention` is what the paper draws instead (its figure 5): the
    response of the group's strongest channel.
    """

    shows = STRONGEST_CHANNEL

    def __init__(self, config: Gated, channels: int, *, dim: int, stage: int) -> None:
        super().__init__(groups=config.groups, dim=dim, stage=stage)
        reduced = max(1, channels // config.reduction)
        self.shared = nn.Conv2d(channels, reduced, 1)
        self.gates = nn.Conv2d(reduced, config.groups * channels, 1)
        self.linear = nn.Linear(channels, dim, bias=False)

    def masks(self, z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n g c h w"]:
        """Return the masks; their values may be of either sign."""
        masks: Tensor = self.gates(self.shared(z))
        return masks.view(len(z), self.groups, *z.shape[1:])

    def vectors(self, z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n g d"]:
        """Mask, pool and project.

        A mask is linear in the shared layer s. So z sᵀ is pooled over positions once for all
        groups, and no mask is ever made: avgpool(z ∘ (G_p s + b_p)) is
        Σ_k G_p,ck avgpool(z_c s_k) + b_p,c avgpool(z_c).
        """
        shared: Tensor = self.shared(z).flatten(2)
        together = z.flatten(2) @ shared.transpose(1, 2) / shared.shape[2]
        gates = self.gates.weight.view(self.groups, *together.shape[1:])
        assert self.gates.bias is not None
        bias = self.gates.bias.view(self.groups, -1)
        pooled = torch.einsum("nck,gck->ngc", together, gates) + bias * z.mean((2, 3))[:, None]
        vectors: Tensor = self.linear(pooled)
        return vectors

    def positions(self, z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n g p d"]:
        """Mask and project each position, then divide by how many there are."""
        masked = (z[:, None] * self.masks(z)).flatten(3).transpose(2, 3)
        projected: Tensor = self.linear(masked)
        return projected / masked.shape[2]

    def attention(self, z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n g h w"]:
        """Return where each group's strongest channel responds."""
        return strongest_channel(z[:, None] * self.masks(z))
