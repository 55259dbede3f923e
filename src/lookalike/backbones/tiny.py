"""A small convolutional network for tests and for trying things out: no weights to fetch."""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lookalike.config import Config
from lookalike.preprocessing import Preprocessing
from lookalike.types import FeatureMaps


class Tiny(Config):
    """One 3×3 convolution, group norm and ReLU per stage, each halving the map."""

    kind: Literal["tiny"] = "tiny"
    channels: tuple[int, ...] = (16, 32, 64)
    """Channels of each stage."""

    def build(self, *, pretrained: bool | None = None) -> "TinyBackbone":
        """Build the network; its weights are random whatever `pretrained` says."""
        return TinyBackbone(self.channels)


class TinyBackbone(nn.Module):
    """A stack of strided convolutions; every stage is a map.

    Args:
        channels: Channels of each stage.
    """

    def __init__(self, channels: tuple[int, ...]) -> None:
        super().__init__()
        self.channels = channels
        self.strides = tuple(2 ** (i + 1) for i in range(len(channels)))
        self.preprocessing = Preprocessing(size=64, mean=(0.5, 0.5, 0.5), std=(0.5, 0.5, 0.5))
        self.stages = nn.ModuleList(
            nn.Sequential(nn.Conv2d(before, after, 3, 2, 1), nn.GroupNorm(1, after), nn.ReLU())
            for before, after in zip((3, *channels[:-1]), channels, strict=True)
        )

    def forward(self, images: Float[Tensor, "n 3 h w"]) -> FeatureMaps:
        """Return the map of every stage."""
        maps: list[torch.Tensor] = []
        z = images
        for stage in self.stages:
            z = stage(z)
            maps.append(z)
        return FeatureMaps(tuple(maps), self.strides)
