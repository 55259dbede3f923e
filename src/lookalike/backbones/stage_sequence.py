"""A network made of named stages, one after the other."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lookalike.backbones.staged_config import count_stages
from lookalike.preprocessing import Preprocessing
from lookalike.types import FeatureMaps


class StageSequence(nn.Module):
    """Stages in a row: each reads the map of the one before. It returns the map of every stage.

    A stage is `backbone.stages[name]`, with "_" for a dot in the name.

    Args:
        stages: By name, low to high.
        channels: Of each stage's map.
        strides: Input pixels per position of each stage's map.
        preprocessing: The input that its weights expect.
        freeze_batch_norm: Do not update the running statistics of batch norm while training.
        frozen_stages: The stages, from the input, that are not trained: how many, or the name of
            the last one.

    Raises:
        ConfigError: `frozen_stages` is not a number or a name of its stages.
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
        """Return the map of every stage.

        Args:
            images: Pictures, or the map before the first stage.
        """
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
    """Put every batch norm in eval mode: its running statistics are used and not updated."""
    for module in net.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm):
            module.eval()
