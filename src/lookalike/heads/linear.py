"""M: several linear layers on the average-pooled map (Xu et al. 2020, "M"; METHODS 1)."""

from typing import Annotated, Literal

from jaxtyping import Float
from pydantic import Field
from torch import Tensor, nn

from lookalike.heads.base import OneStage, share_of
from lookalike.heads.grouped import GroupedHead


class LinearGroups(OneStage):
    """Average pooling and one linear layer for each group."""

    kind: Literal["linear"] = "linear"
    groups: Annotated[int, Field(ge=1)] = 4

    def head(self, channels: int, dim: int, stage: int) -> "LinearGroupsHead":
        """Build the head on a map."""
        return LinearGroupsHead(self, channels, dim=share_of(dim, self.groups), stage=stage)


class LinearGroupsHead(GroupedHead):
    """`W_p · avgpool(z)`; the token at a position is (W_p z_hw) / HW.

    An explanation names the group and splits it over positions. The groups differ in what they
    take from a position, not in where they look: every position weighs the same in each of them.
    """

    def __init__(self, config: LinearGroups, channels: int, *, dim: int, stage: int) -> None:
        super().__init__(groups=config.groups, dim=dim, stage=stage)
        self.linear = nn.Linear(channels, config.groups * dim, bias=False)

    def vectors(self, z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n g d"]:
        """Pool, project, and cut into groups."""
        projected: Tensor = self.linear(z.mean(dim=(2, 3)))
        return projected.view(len(z), self.groups, self.dim)

    def positions(self, z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n g p d"]:
        """Project each position, then divide by how many there are."""
        z = z.flatten(2).transpose(1, 2)
        projected: Tensor = self.linear(z)
        return projected.view(*z.shape[:2], self.groups, self.dim).transpose(1, 2) / z.shape[1]
