"""Grad-CAM of a pair's score (Selvaraju et al., ICCV 2017, for a similarity)."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.explanation.saliency.method import Grid, Saliency
from lookalike.explanation.saliency.score import score_embeddings, stage_maps
from lookalike.model import Model, evaluating


@dataclass(frozen=True, slots=True)
class GradCam:
    """`Σ_c α_c z_c` with α_c the mean over positions of ∂s/∂z_c, of the map that the head reads.

    A head that reads several stages, as a graph's does, is explained at the highest. The final
    ReLU of the paper is left out: it would tie all cells that speak against.
    """

    name: ClassVar[str] = "grad_cam"
    label: ClassVar[str] = "Grad-CAM"
    grid: ClassVar[Grid] = "positions"
    has_weights: ClassVar[bool] = True

    def __call__(
        self, model: Model, a: Float[Tensor, "n 3 s s"], b: Float[Tensor, "n 3 s s"]
    ) -> Saliency:
        """Explain each pair of normalised pictures."""
        with evaluating(model):
            maps = [stage_maps(model, images) for images in (a, b)]
            with torch.enable_grad():
                score = score_embeddings(model, *(model.head(z) for z in maps))
                count = len(maps[0].stages)
                gradients = torch.autograd.grad(
                    score.sum(), [*maps[0].stages, *maps[1].stages], allow_unused=True
                )
        read = max(stage for stage in range(count) if gradients[stage] is not None)
        return Saliency.of(
            _weighted(maps[0].stages[read], gradients[read]),
            _weighted(maps[1].stages[read], gradients[count + read]),
        )


def _weighted(
    z: Float[Tensor, "n c h w"], gradient: Float[Tensor, "n c h w"]
) -> Float[Tensor, "n h w"]:
    """Weigh each channel by its mean gradient."""
    return torch.einsum("nchw,nc->nhw", z.detach(), gradient.mean(dim=(2, 3)))
