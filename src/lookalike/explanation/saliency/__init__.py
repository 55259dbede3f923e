"""Ways to say where the score of a pair comes from: the exact one, and others to compare it with.

Each is a `Method`: pairs of pictures in, signed maps over both out. A new method is one file and
one line in `METHODS`.
"""

from collections.abc import Mapping, Sequence

from lookalike.errors import UsageError
from lookalike.explanation.saliency.baselines import Baseline, baseline_of
from lookalike.explanation.saliency.batches import saliency_of
from lookalike.explanation.saliency.exact import Exact, Shared
from lookalike.explanation.saliency.grad_cam import GradCam
from lookalike.explanation.saliency.gradients import InputGradient, IntegratedGradients
from lookalike.explanation.saliency.grid import to_grid
from lookalike.explanation.saliency.method import Grid, Method, Saliency
from lookalike.explanation.saliency.random import Random
from lookalike.explanation.saliency.score import pair_scores
from lookalike.explanation.saliency.second_order import SecondOrder
from lookalike.model import Model

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
"""Every method by its name, with its default settings."""


def default_methods(model: Model) -> tuple[str, ...]:
    """Return the names of the methods that are measured unless others are asked for.

    The exact map comes first. Where the score is a distance's negative, the exact map is highest on
    empty ground; there the map of what both pictures share is measured too.
    """
    exact = ("exact", "shared") if model.similarity.splits_difference else ("exact",)
    return (*exact, "grad_cam", "input_gradient", "random")


def choose_methods(methods: Sequence[str | Method]) -> tuple[Method, ...]:
    """Return methods by their names; those that are methods already stay.

    Raises:
        UsageError: There is no such method, none at all, or one twice.
    """
    unknown = [name for name in methods if isinstance(name, str) and name not in METHODS]
    if unknown or not methods:
        asked = f"there is no method {unknown[0]!r}" if unknown else "there is no method to measure"
        raise UsageError(f"{asked}; there are {', '.join(METHODS)}")
    chosen = tuple(METHODS[each] if isinstance(each, str) else each for each in methods)
    names = [method.name for method in chosen]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UsageError(f"the method {twice[0]!r} is asked for twice; name each once")
    return chosen


__all__ = [
    "METHODS",
    "Baseline",
    "Exact",
    "GradCam",
    "Grid",
    "InputGradient",
    "IntegratedGradients",
    "Method",
    "Random",
    "Saliency",
    "SecondOrder",
    "Shared",
    "baseline_of",
    "choose_methods",
    "default_methods",
    "pair_scores",
    "saliency_of",
    "to_grid",
]
