"""What two pictures share: the exact account of a score without what takes one picture alone."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.explanation.saliency.method import Grid, Saliency
from lookalike.explanation.saliency.score import pair_tokens
from lookalike.model import Model


@dataclass(frozen=True, slots=True)
class Shared:
    """The products in a score: all of a cosine, and of a graph's distance 2 Σ λẽẽ'.

    A distance is lowest where there is nothing, so the exact map of a graph ranks empty ground
    first. Of −λ(ẽ² + ẽ'² − 2ẽẽ') this keeps the last term, which is where both have something, in
    score units. For heads with a cosine it is the exact map.
    """

    name: ClassVar[str] = "shared"
    label: ClassVar[str] = "shared"
    grid: ClassVar[Grid] = "positions"
    has_weights: ClassVar[bool] = True

    @torch.no_grad()
    def __call__(
        self, model: Model, a: Float[Tensor, "n 3 s s"], b: Float[Tensor, "n 3 s s"]
    ) -> Saliency:
        """Explain each pair of normalised pictures."""
        maps = model.similarity.shared(*pair_tokens(model, a, b))
        return Saliency.of(maps.a.sum(dim=1), maps.b.sum(dim=1))
