"""Gradients of a pair's score at the pixels, computed by captum."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.explanation.saliency.baselines import Baseline, baseline_of
from lookalike.explanation.saliency.method import Grid, Saliency
from lookalike.explanation.saliency.score import (
    PairScore,
    by_cell,
    pair_scores,
    with_gradient,
)
from lookalike.model import Model, evaluating


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
        from captum.attr import InputXGradient

        left, right = (with_gradient(images, model.device) for images in (a, b))
        method = InputXGradient(lambda x, y: pair_scores(model, x, y))
        values = method.attribute((left, right))
        return Saliency.of(*(by_cell(model, left, each.detach()) for each in values))


def path_rule(steps: int) -> str:
    """Return captum's name of the midpoint rule, which for one step has another name."""
    return "riemann_middle" if steps > 1 else "gausslegendre"


@dataclass(frozen=True, slots=True)
class IntegratedGradients:
    """The score's gradient, integrated from a baseline to A while B stays, and the other way round.

    After Sundararajan et al., ICML 2017: `(x − x₀) ∫₀¹ ∂s(x₀ + α (x − x₀)) dα` by the midpoint
    rule. A's map sums to s(A, B) − s(baseline, B), and likewise B's, except for a gap that shrinks
    with more steps; `explain(model, a, b, method="integrated_gradients")` gives the gap of a pair.
    A network without biases has the same cosine everywhere on a line from the mean colour, and the
    cosine jumps at the line's end: there the gap is large, and the blur is a better baseline.

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
        from captum.attr import IntegratedGradients as Captum

        a, b = (images.detach().to(model.device) for images in (a, b))
        maps = []
        with evaluating(model):
            for images, others in ((a, b), (b, a)):
                with torch.no_grad():
                    partners = model(others)
                values = Captum(PairScore.of_model(model, partners)).attribute(
                    images,
                    baseline_of(images, self.baseline),
                    additional_forward_args=torch.arange(len(images), device=images.device),
                    n_steps=self.steps,
                    method=path_rule(self.steps),
                    internal_batch_size=max(self.batch_size, len(images)),
                )
                maps.append(by_cell(model, images, values))
        return Saliency.of(*maps)
