"""N: one embedding from the average-pooled map, no groups (METHODS 1; Xu et al. 2020, "N")."""

from typing import Literal

from jaxtyping import Float
from torch import Tensor, nn

from lookalike.heads.base import OneStage
from lookalike.heads.grouped import GroupedHead


class Single(OneStage):
    """Average pooling and one linear layer."""

    kind: Literal["single"] = "single"
    bias: bool = False

    def head(self, channels: int, dim: int, stage: int) -> "SingleHead":
        """Build the head on a map."""
        return SingleHead(self, channels, dim=dim, stage=stage)


class SingleHead(GroupedHead):
    """`W · avgpool(z) + b`; the token at a position is (W z_hw + b) / HW.

    An explanation splits the similarity over positions. There are no groups to name, and every
    position weighs the same in the pool: the map shows what each one contributed, not where the
    model chose to look.
    """

    def __init__(self, config: Single, channels: int, *, dim: int, stage: int) -> None:
        super().__init__(groups=1, dim=dim, stage=stage)
        self.linear = nn.Linear(channels, dim, bias=config.bias)

    def vectors(self, z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n 1 d"]:
        """Pool, then project."""
        pooled: Tensor = self.linear(z.mean(dim=(2, 3)))
        return pooled[:, None]

    def positions(self, z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n 1 p d"]:
        """Project each position, then divide by how many there are."""
        z = z.flatten(2).transpose(1, 2)
        projected: Tensor = self.linear(z)
        return projected[:, None] / z.shape[1]
