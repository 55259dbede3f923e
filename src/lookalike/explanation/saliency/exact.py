"""The exact account as a saliency method: the score's own sum, taken apart by position."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.explanation.saliency.method import Grid, Saliency
from lookalike.explanation.saliency.score import pair_tokens
from lookalike.model import Model


@dataclass(frozen=True, slots=True)
class Exact:
    """The maps of all parts added up (METHODS 0).

    Either picture's map sums to the score; in a graph, those of both together do.
    """

    name: ClassVar[str] = "exact"
    label: ClassVar[str] = "exact"
    grid: ClassVar[Grid] = "positions"
    has_weights: ClassVar[bool] = True

    @torch.no_grad()
    def __call__(
        self, model: Model, a: Float[Tensor, "n 3 s s"], b: Float[Tensor, "n 3 s s"]
    ) -> Saliency:
        """Explain each pair of normalised pictures."""
        maps = model.similarity.maps(*pair_tokens(model, a, b))
        return Saliency.of(maps.a.sum(dim=1), maps.b.sum(dim=1))
