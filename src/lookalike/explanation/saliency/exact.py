"""Exact accounts as saliency methods: the score's own sum, split over positions."""

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
    """The maps of all parts of the score added up (METHODS 0).

    Either picture's map sums to the score; for a graph, both maps together do.
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


@dataclass(frozen=True, slots=True)
class Shared:
    """What both pictures share: the products in a score, without what comes from one picture alone.

    A cosine has nothing but products: this is its exact map. A graph's distance is smallest where
    there is nothing, so its exact map is highest on empty ground. Of −λ(ẽ² + ẽ'² − 2ẽẽ') this keeps
    the last term, which is where both pictures have something, in score units.
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
