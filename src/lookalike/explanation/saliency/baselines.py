"""Where a path to a picture starts, and what hidden pixels show: pictures without content."""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor
from torchvision.transforms.functional import gaussian_blur

Baseline = Literal["mean", "blur"]
"""The colour that preprocessing subtracts, or the picture's own blur."""


def baseline_of(inputs: Float[Tensor, "n 3 s s"], baseline: Baseline) -> Float[Tensor, "n 3 s s"]:
    """Return zero, which is the mean colour, or a blur by an eighth of the picture's side."""
    if baseline == "mean":
        return torch.zeros_like(inputs)
    deviation = inputs.shape[-1] / 8
    size = 2 * int(2 * deviation) + 1
    blurred: Tensor = gaussian_blur(inputs, [size, size], [deviation, deviation])
    return blurred
