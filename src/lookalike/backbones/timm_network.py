"""A network of timm as stages, with frozen batch norm and frozen lowest stages on request."""

from collections.abc import Iterator
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lookalike.backbones.stage_sequence import hold_batch_norm
from lookalike.backbones.staged_config import count_stages
from lookalike.preprocessing import Preprocessing
from lookalike.types import FeatureMaps


class StagedNetwork(nn.Module):
    """A network that timm built with `features_only`, which returns the map of every stage.

    Args:
        net: Returns a list of maps and describes them in `feature_info`; the names of modules there
            are the names of the stages.
        preprocessing: The input that its weights expect.
        freeze_batch_norm: Do not update the running statistics of batch norm while training
            (METHODS 1); its scale and shift are still learnt.
        frozen_stages: The stages, from the input, that are not trained: how many, or the name of
            the last one.
        dilate: Leave dilated kernels as they are; False removes the dilation.

    Raises:
        ConfigError: `frozen_stages` is not a number or a name of its stages.
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
            _remove_dilation(net)
        self.net = net.to(memory_format=torch.channels_last)  # twice as fast on a CPU
        info: Any = net.feature_info  # timm is not typed
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


def _remove_dilation(net: nn.Module) -> None:
    """Remove the dilation of every convolution; the size of its output stays the same."""
    for conv in net.modules():
        if isinstance(conv, nn.Conv2d) and conv.dilation != (1, 1):
            conv.padding = tuple((size - 1) // 2 for size in conv.kernel_size)
            conv.dilation = (1, 1)


def _up_to_stage(net: nn.Module, stages: tuple[str, ...], count: int) -> Iterator[nn.Parameter]:
    """Yield the parameters from the input to the end of stage `count`, in order."""
    if count == 0:
        return
    # in a network that timm flattened, "stages.0" is called "stages_0"
    names = (f"{stages[count - 1]}.", f"{stages[count - 1].replace('.', '_')}.")
    parameters = list(net.named_parameters())
    inside = [i for i, (name, _) in enumerate(parameters) if name.startswith(names)]
    last = inside[-1] if inside else _before_stage(parameters, stages, count)
    for _, parameter in parameters[: last + 1]:
        yield parameter


def _before_stage(
    parameters: list[tuple[str, nn.Parameter]], stages: tuple[str, ...], count: int
) -> int:
    """Find the last parameter before the next stage, for a stage without parameters of its own."""
    names = (f"{stages[count]}.", f"{stages[count].replace('.', '_')}.")
    return next(i for i, (name, _) in enumerate(parameters) if name.startswith(names)) - 1
