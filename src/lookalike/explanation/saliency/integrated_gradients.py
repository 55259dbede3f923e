"""Integrated gradients of a pair's score, one picture at a time."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.explanation.saliency.integral import Baseline, Integral, Score, integrate
from lookalike.explanation.saliency.method import Grid, Saliency
from lookalike.explanation.saliency.score import by_cell, score_embeddings
from lookalike.model import Model, evaluating


@dataclass(frozen=True, slots=True)
class IntegratedGradients:
    """The score's gradient, integrated from a baseline to A while B stays, and the other way round.

    A's map sums to s(A, B) − s(baseline, B), and likewise B's, but for the completeness gap that
    `integrals` tells: it shrinks with more steps. A network without biases has the same cosine all
    along a line from the mean colour and jumps at its end; the gap says so, and "blur" helps.

    Args:
        steps: Points on either path.
        baseline: Where the paths start.
        batch_size: Pictures that go through the network at once.
    """

    name: ClassVar[str] = "integrated_gradients"
    label: ClassVar[str] = "integrated gradients"
    grid: ClassVar[Grid] = "pixels"
    has_weights: ClassVar[bool] = True

    steps: int = 32
    baseline: Baseline = "mean"
    batch_size: int = 32

    def __call__(
        self, model: Model, a: Float[Tensor, "n 3 s s"], b: Float[Tensor, "n 3 s s"]
    ) -> Saliency:
        """Explain each pair of normalised pictures, on the exact map's grid."""
        over = zip(self.integrals(model, a, b), (a, b), strict=True)
        return Saliency.of(*(by_cell(model, images, of.values) for of, images in over))

    def integrals(
        self, model: Model, a: Float[Tensor, "n 3 s s"], b: Float[Tensor, "n 3 s s"]
    ) -> tuple[Integral, Integral]:
        """Return what each pixel of A gave, and each of B, with the gaps."""
        a, b = (images.detach().to(model.device) for images in (a, b))
        with evaluating(model):
            with torch.no_grad():
                left, right = (model.head(model.features(images)) for images in (a, b))

            def of_a(points: Tensor, rows: Tensor) -> Tensor:
                embedded = model.head(model.features(points))
                return score_embeddings(model, embedded, right[rows])

            def of_b(points: Tensor, rows: Tensor) -> Tensor:
                embedded = model.head(model.features(points))
                return score_embeddings(model, left[rows], embedded)

            return self._integrate(of_a, a), self._integrate(of_b, b)

    def _integrate(self, score: Score, images: Float[Tensor, "n 3 s s"]) -> Integral:
        return integrate(
            score,
            images,
            steps=self.steps,
            baseline=self.baseline,
            batch_size=self.batch_size,
        )
