"""Grad-CAM of a pair's score (Selvaraju et al., ICCV 2017, for a similarity), by captum."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lookalike.explanation.saliency.method import Grid, Saliency
from lookalike.explanation.saliency.score import score_embeddings
from lookalike.model import Model, evaluating
from lookalike.types import FeatureMaps


@dataclass(frozen=True, slots=True)
class GradCam:
    """`Σ_c α_c z_c` with α_c the mean over positions of ∂s/∂z_c, of the map that the head reads.

    A head that reads several stages, like a graph's, is explained at the highest. The paper's final
    ReLU is left out: it would give all cells that speak against the same value.
    """

    name: ClassVar[str] = "grad_cam"
    label: ClassVar[str] = "Grad-CAM"
    grid: ClassVar[Grid] = "positions"
    has_weights: ClassVar[bool] = True

    def __call__(
        self, model: Model, a: Float[Tensor, "n 3 s s"], b: Float[Tensor, "n 3 s s"]
    ) -> Saliency:
        """Explain each pair of normalised pictures."""
        from captum.attr import LayerGradCam

        with evaluating(model):
            with torch.no_grad():
                maps = model.features(torch.cat([a, b]).to(model.device))
            score = _ScoreOfMaps(model, maps.strides)
            cams = LayerGradCam(score, score.stages[_read(model)]).attribute(maps.stages)
        return Saliency.of(*cams[:, 0].chunk(2))


class _ScoreOfMaps(nn.Module):
    """Scores pairs from the maps of a backbone, each of which passes through a layer of its own.

    The first half of the rows are the first pictures of the pairs.
    """

    def __init__(self, model: Model, strides: tuple[int, ...]) -> None:
        super().__init__()
        self.model, self.strides = model, strides
        self.stages = nn.ModuleList(nn.Identity() for _ in strides)

    def forward(self, *stages: Tensor) -> Float[Tensor, " n"]:
        seen = tuple(layer(z) for layer, z in zip(self.stages, stages, strict=True))
        embedding = self.model.head(FeatureMaps(seen, self.strides))
        half = len(embedding) // 2
        return score_embeddings(self.model, embedding[:half], embedding[half:])


def _read(model: Model) -> int:
    """Return the number of the highest stage that the head reads."""
    stage = model.config.head.top_stage
    return model.backbone.names.index(stage) if isinstance(stage, str) else stage
