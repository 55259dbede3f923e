"""The second order of a pair's score: which pixels of A matter together with which of B."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from lookalike.explanation.saliency.method import Grid, Saliency
from lookalike.explanation.saliency.score import by_cell, score_embeddings, with_gradient
from lookalike.model import Model, evaluating


@dataclass(frozen=True, slots=True)
class SecondOrder:
    """`x_i x'_j ∂²s/∂x_i ∂x'_j`, added up over all j for a map of A, over all i for one of B.

    BiLRP (Eberle et al., TPAMI 2022, arXiv 2003.05431) refines this product of Hessian and pixels
    by rules for each layer, which are left out here. As there, an inner product is explained: norms
    and a graph's certainties are constants. Because of the sum over the other picture, the Hessian
    is only multiplied by one vector: it costs two gradients of a gradient, and no matrix of pairs
    of pixels is made. For a network that is linear from patches to tokens it is the exact map.
    """

    name: ClassVar[str] = "second_order"
    label: ClassVar[str] = "second order"
    grid: ClassVar[Grid] = "pixels"
    has_weights: ClassVar[bool] = True

    def __call__(
        self, model: Model, a: Float[Tensor, "n 3 s s"], b: Float[Tensor, "n 3 s s"]
    ) -> Saliency:
        """Explain each pair of normalised pictures."""
        left, right = (with_gradient(images, model.device) for images in (a, b))
        # Only this one of torch's kernels for attention has a second derivative.
        with evaluating(model), torch.enable_grad(), sdpa_kernel(SDPBackend.MATH):
            held = [
                model.head.breakdown(model.features(images)).with_constant_norms()
                for images in (left, right)
            ]
            score = score_embeddings(model, *held).sum()
            first = torch.autograd.grad(score, [left, right], create_graph=True)
            along = [
                (images.detach() * gradient).sum()
                for images, gradient in zip((left, right), first, strict=True)
            ]
            (of_a,) = torch.autograd.grad(along[1], [left], retain_graph=True)
            (of_b,) = torch.autograd.grad(along[0], [right])
        maps = [
            by_cell(model, images, images.detach() * second)
            for images, second in ((left, of_a), (right, of_b))
        ]
        return Saliency.of(*maps)
