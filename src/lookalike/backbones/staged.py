"""A timm network as stages, its batch norm and its lowest stages held still on request."""

from collections.abc import Iterator
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lookalike.backbones.options import count_stages
from lookalike.backbones.sequence import hold_batch_norm
from lookalike.preprocessing import Preprocessing
from lookalike.types import FeatureMaps


class StagedNetwork(nn.Module):
    """A network that timm made with `features_only`, giving the map of every stage.

    Args:
        net: The network; it returns a list of maps and tells about them in `feature_info`, whose
            names of modules are the names of the stages.
        preprocessing: What its weights expect.
        freeze_batch_norm: Keep batch norm's running statistics as they are while training
            (METHODS 1); its scale and shift are still learnt.
        frozen_stages: Which stages, from the input, are not trained at all: how many, or the last
            one's name.
        dilate: Leave dilated kernels as they are; False draws them together.

    Raises:
        ConfigError: `frozen_stages` is no number or name of its stages.
    """

    def __init__(
        self,
        net: nn.Module,
        *,
        preprocessing: Preprocessing,
        freeze_batch_norm: bool,
        frozen_stages: int | str,
        dilate: bool = True,
    ) -> None:
        super().__init__()
        if not dilate:
            _gather_kernels(net)
        self.net = net.to(memory_format=torch.channels_last)  # twice as fast on a CPU
        info: Any = net.feature_info  # timm has no types
        self.names: tuple[str, ...] = tuple(info.module_name())
        self.channels: tuple[int, ...] = tuple(info.channels())
        self.strides: tuple[int, ...] = tuple(info.reduction())
        self.preprocessing = preprocessing
        self.freeze_batch_norm = freeze_batch_norm
        self._channels_last_maps = str(getattr(net, "output_fmt", "")).endswith("NHWC")
        frozen = count_stages(frozen_stages, self.names, key="frozen_stages")
        for parameter in _up_to_stage(net, self.names, frozen):
            parameter.requires_grad_(False)

    def forward(self, images: Float[Tensor, "n 3 h w"]) -> FeatureMaps:
        """Return the map of every stage, channels before positions."""
        maps = self.net(images)
        if self._channels_last_maps:
            maps = [z.permute(0, 3, 1, 2) for z in maps]
        return FeatureMaps(tuple(maps), self.strides)

    def train(self, mode: bool = True) -> "StagedNetwork":
        """Set the mode; frozen batch norm stays in eval mode."""
        super().train(mode)
        if self.freeze_batch_norm:
            hold_batch_norm(self)
        return self


def _gather_kernels(net: nn.Module) -> None:
    """Undo the dilation of every convolution; the size of its output stays."""
    for conv in net.modules():
        if isinstance(conv, nn.Conv2d) and conv.dilation != (1, 1):
            conv.padding = tuple((size - 1) // 2 for size in conv.kernel_size)
            conv.dilation = (1, 1)


def _up_to_stage(net: nn.Module, stages: tuple[str, ...], count: int) -> Iterator[nn.Parameter]:
    """Yield the parameters from the input to the end of stage `count`, in the order of the net."""
    if count == 0:
        return
    # A network flattened by timm calls "stages.0" "stages_0".
    names = (f"{stages[count - 1]}.", f"{stages[count - 1].replace('.', '_')}.")
    parameters = list(net.named_parameters())
    inside = [i for i, (name, _) in enumerate(parameters) if name.startswith(names)]
    last = inside[-1] if inside else _before_stage(parameters, stages, count)
    for _, parameter in parameters[: last + 1]:
        yield parameter


def _before_stage(
    parameters: list[tuple[str, nn.Parameter]], stages: tuple[str, ...], count: int
) -> int:
    """Find the last parameter before the next stage, for a stage that is only an activation."""
    names = (f"{stages[count]}.", f"{stages[count].replace('.', '_')}.")
    return next(i for i, (name, _) in enumerate(parameters) if name.startswith(names)) - 1
