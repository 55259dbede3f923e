"""Integrated gradients (Sundararajan et al., ICML 2017) of whatever scores pictures."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor
from torchvision.transforms.functional import gaussian_blur

Baseline = Literal["mean", "blur"]
"""Where the path to a picture starts: the colour that preprocessing subtracts, or its own blur."""

Score = Callable[[Tensor, Tensor], Tensor]
"""Scores pictures, n×3×s×s; the second argument says for each which row of `inputs` it is of."""


@dataclass(frozen=True, slots=True)
class Integral:
    """What each pixel gave to the way of the score from a baseline to the picture.

    Args:
        values: In score units, for every colour of every pixel.
        score: Of the pictures.
        at_baseline: The score where the path starts.
    """

    values: Float[Tensor, "n 3 s s"]
    score: Float[Tensor, " n"]
    at_baseline: Float[Tensor, " n"]

    @property
    def gap(self) -> Float[Tensor, " n"]:
        """How far the values are from adding up to score − at_baseline; 0 is complete."""
        return (self.values.sum(dim=(1, 2, 3)) - (self.score - self.at_baseline)).abs()


def integrate(
    score: Score,
    inputs: Float[Tensor, "n 3 s s"],
    *,
    steps: int,
    baseline: Baseline = "mean",
    batch_size: int = 32,
) -> Integral:
    """Integrate the gradient of a score along the straight line from a baseline to each picture.

    `(x − x₀) ∫₀¹ ∂s(x₀ + α (x − x₀)) dα`, by the midpoint rule.

    Args:
        score: Differentiable; each row of its result depends on that row alone.
        inputs: Normalised pixels.
        steps: Points on the line, at least 1: more cost more and leave a smaller gap.
        baseline: Where the line starts.
        batch_size: Points that are scored at once, as long as `inputs` are no more.
    """
    start = _start(inputs, baseline)
    difference = inputs - start
    total = torch.zeros_like(inputs)
    every = torch.arange(len(inputs), device=inputs.device)
    fractions = (torch.arange(steps, device=inputs.device) + 0.5) / steps
    for some in torch.split(fractions, max(1, batch_size // max(1, len(inputs)))):
        rows = every.repeat(len(some))
        along = some.repeat_interleave(len(inputs))[:, None, None, None]
        points = (start[rows] + along * difference[rows]).requires_grad_()
        with torch.enable_grad():
            (gradient,) = torch.autograd.grad(score(points, rows).sum(), [points])
        total.index_add_(0, rows, gradient)
    with torch.no_grad():
        ends = score(inputs, every), score(start, every)
    return Integral(total * difference / steps, *ends)


def _start(inputs: Float[Tensor, "n 3 s s"], baseline: Baseline) -> Float[Tensor, "n 3 s s"]:
    """Return where the path starts: zero, or a blur by an eighth of the picture's side."""
    if baseline == "mean":
        return torch.zeros_like(inputs)
    deviation = inputs.shape[-1] / 8
    size = 2 * int(2 * deviation) + 1
    blurred: Tensor = gaussian_blur(inputs, [size, size], [deviation, deviation])
    return blurred
