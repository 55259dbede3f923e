"""The backbone's own features, average-pooled: a baseline that every trained head should beat."""

from typing import Literal

from jaxtyping import Float
from torch import Tensor

from lookalike.heads.base import OneStage
from lookalike.heads.grouped import GroupedHead


class Pooled(OneStage):
    """Average pooling and nothing else; `dim` is ignored, the channels are the numbers."""

    kind: Literal["pooled"] = "pooled"

    def head(self, channels: int, dim: int, stage: int) -> "PooledHead":
        """Build the head on a map; no layer could change the number of channels to `dim`."""
        return PooledHead(channels, stage=stage)


class PooledHead(GroupedHead):
    """`avgpool(z)`; the token at a position is z_hw / HW.

    It has no weights: on a pretrained backbone it shows what was there before training. The map of
    an explanation shows which positions have similar features.

    Args:
        channels: Channels of the map it reads.
        stage: Which of the backbone's maps to read.
    """

    def __init__(self, channels: int, *, stage: int = -1) -> None:
        super().__init__(groups=1, dim=channels, stage=stage)

    def vectors(self, z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n 1 c"]:
        """Pool."""
        return z.mean(dim=(2, 3))[:, None]

    def positions(self, z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n 1 p c"]:
        """Divide each position by how many there are."""
        z = z.flatten(2).transpose(1, 2)
        return z[:, None] / z.shape[1]
