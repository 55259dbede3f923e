"""Gradient times input: the first order of the score at the pixels."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.explanation.saliency.method import Grid, Saliency
from lookalike.explanation.saliency.score import by_cell, pair_scores, with_gradient
from lookalike.model import Model


@dataclass(frozen=True, slots=True)
class InputGradient:
    """`x ∂s/∂x`, added up over channels and over the pixels of each cell of the exact map.

    Pixels are normalised, so zero, where a pixel counts nothing, is the mean colour.
    """

    name: ClassVar[str] = "input_gradient"
    label: ClassVar[str] = "gradient × input"
    grid: ClassVar[Grid] = "pixels"
    has_weights: ClassVar[bool] = True

    def __call__(
        self, model: Model, a: Float[Tensor, "n 3 s s"], b: Float[Tensor, "n 3 s s"]
    ) -> Saliency:
        """Explain each pair of normalised pictures."""
        left, right = (with_gradient(images, model.device) for images in (a, b))
        with torch.enable_grad():
            gradients = torch.autograd.grad(pair_scores(model, left, right).sum(), [left, right])
        maps = [
            by_cell(model, images, images.detach() * gradient)
            for images, gradient in zip((left, right), gradients, strict=True)
        ]
        return Saliency.of(*maps)
