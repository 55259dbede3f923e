"""A small convolutional network without weights, for tests and trials."""

from typing import Literal

from torch import nn

from lookalike.backbones.stage_sequence import StageSequence
from lookalike.config import Config
from lookalike.preprocessing import Preprocessing


class Tiny(Config):
    """One 3×3 convolution, group norm and ReLU per stage, each halving the map.

    Its stages are "stage1", "stage2", and so on.
    """

    kind: Literal["tiny"] = "tiny"
    channels: tuple[int, ...] = (16, 32, 64)
    """Channels of each stage."""

    @property
    def label(self) -> str:
        """What tables call the network."""
        return self.kind

    def build(self, *, pretrained: bool | None = None) -> StageSequence:
        """Build the network; its weights are always random, whatever `pretrained` is."""
        before = (3, *self.channels[:-1])
        return StageSequence(
            {
                f"stage{i}": nn.Sequential(
                    nn.Conv2d(c_in, c_out, 3, 2, 1), nn.GroupNorm(1, c_out), nn.ReLU()
                )
                for i, (c_in, c_out) in enumerate(zip(before, self.channels, strict=True), start=1)
            },
            channels=self.channels,
            strides=tuple(2 ** (i + 1) for i in range(len(self.channels))),
            preprocessing=Preprocessing(size=64, mean=(0.5, 0.5, 0.5), std=(0.5, 0.5, 0.5)),
        )
