"""Ways to say where the score of a pair comes from: the exact one, and others to hold it against.

Every one is a `Method`: pairs of pictures in, signed maps over both out.
"""

from collections.abc import Mapping

from lookalike.explanation.saliency.exact import Exact
from lookalike.explanation.saliency.grad_cam import GradCam
from lookalike.explanation.saliency.grid import to_grid
from lookalike.explanation.saliency.input_gradient import InputGradient
from lookalike.explanation.saliency.integral import Baseline, Integral, integrate
from lookalike.explanation.saliency.integrated_gradients import IntegratedGradients
from lookalike.explanation.saliency.method import Method, Saliency
from lookalike.explanation.saliency.random import Random
from lookalike.explanation.saliency.score import pair_scores
from lookalike.explanation.saliency.second_order import SecondOrder
from lookalike.explanation.saliency.shared import Shared

METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        Exact(),
        Shared(),
        GradCam(),
        InputGradient(),
        IntegratedGradients(),
        SecondOrder(),
        Random(),
    )
}
"""Every method by its name, with the settings that it has by default."""

__all__ = [
    "METHODS",
    "Baseline",
    "Exact",
    "GradCam",
    "InputGradient",
    "Integral",
    "IntegratedGradients",
    "Method",
    "Random",
    "Saliency",
    "SecondOrder",
    "Shared",
    "integrate",
    "pair_scores",
    "to_grid",
]
