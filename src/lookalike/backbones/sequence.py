"""A network that is nothing but named stages, one after the other."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lookalike.backbones.options import count_stages
from lookalike.preprocessing import Preprocessing
from lookalike.types import FeatureMaps


class StageSequence(nn.Module):
    """Stages in a row; each reads the map of the one before, and the map of every one is kept.

    A stage is `backbone.stages[name]`, a dot in its name written as "_", so the network can be cut
    at any of them.

    Args:
        stages: By name, low to high.
        channels: Of each stage's map.
        strides: Input pixels per position of each stage's map.
        preprocessing: What its weights expect.
        freeze_batch_norm: Keep batch norm's running statistics as they are while training.
        frozen_stages: Which stages, from the input, are not trained at all: how many, or the last
            one's name.

    Raises:
        ConfigError: `frozen_stages` is no number or name of its stages.
    """

    def __init__(
        self,
        stages: dict[str, nn.Module],
        *,
        channels: tuple[int, ...],
        strides: tuple[int, ...],
        preprocessing: Preprocessing,
        freeze_batch_norm: bool = False,
        frozen_stages: int | str = 0,
    ) -> None:
        super().__init__()
        self.stages = nn.ModuleDict(
            {name.replace(".", "_"): stage for name, stage in stages.items()}
        ).to(memory_format=torch.channels_last)
        self.names = tuple(stages)
        self.channels = channels
        self.strides = strides
        self.preprocessing = preprocessing
        self.freeze_batch_norm = freeze_batch_norm
        frozen = count_stages(frozen_stages, self.names, key="frozen_stages")
        for name in self.names[:frozen]:
            self.stages[name].requires_grad_(False)

    def forward(self, images: Float[Tensor, "n c h w"]) -> FeatureMaps:
        """Return the map of every stage, from pictures, or the map before the first stage."""
        maps: list[Tensor] = []
        z = images
        for stage in self.stages.values():
            z = stage(z)
            maps.append(z)
        return FeatureMaps(tuple(maps), self.strides)

    def train(self, mode: bool = True) -> "StageSequence":
        """Set the mode; frozen batch norm stays in eval mode."""
        super().train(mode)
        if self.freeze_batch_norm:
            hold_batch_norm(self)
        return self


def hold_batch_norm(net: nn.Module) -> None:
    """Put every batch norm in eval mode: its running statistics are used, and stay."""
    for module in net.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm):
            module.eval()
