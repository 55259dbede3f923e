"""A control: a map that does not depend on the score."""

from dataclasses import dataclass
from typing import ClassVar
from zlib import crc32

import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.explanation.saliency.method import Grid, Saliency
from lookalike.explanation.saliency.score import input_grid
from lookalike.model import Model


@dataclass(frozen=True, slots=True)
class Random:
    """Normally distributed values on the exact map's grid.

    They depend only on the seed and on the pair's pixels, so a pair has the same maps in every
    batch, and different pairs have different maps.

    Args:
        seed: From 0 to 2³² − 1.
    """

    name: ClassVar[str] = "random"
    label: ClassVar[str] = "random"
    grid: ClassVar[Grid] = "pixels"
    has_weights: ClassVar[bool] = False

    seed: int = 0

    def __call__(
        self, model: Model, a: Float[Tensor, "n 3 s s"], b: Float[Tensor, "n 3 s s"]
    ) -> Saliency:
        """Draw a map for either picture of each pair."""
        grid_a, grid_b = input_grid(model, a), input_grid(model, b)
        generators = [self._generator(*pair) for pair in zip(a, b, strict=True)]
        return Saliency(
            torch.stack([torch.randn(grid_a, generator=each) for each in generators]),
            torch.stack([torch.randn(grid_b, generator=each) for each in generators]),
        )

    def _generator(self, a: Tensor, b: Tensor) -> torch.Generator:
        pixels = torch.stack([a, b]).cpu().contiguous().numpy()
        return torch.Generator().manual_seed(crc32(pixels.tobytes(), self.seed))
