"""Explain one pair: exactly for a model, approximately for any other network or by any method."""

from typing import overload

from torch import nn

from lookalike.data import Picture
from lookalike.errors import UsageError
from lookalike.explanation.account.explanation import Explanation
from lookalike.explanation.account.group_names import GroupNames
from lookalike.explanation.account.pair import explain_pairs
from lookalike.explanation.approximate.any_network import (
    METHOD,
    STEPS,
    explain_by_saliency,
    explain_embedder,
)
from lookalike.explanation.approximate.attribution import Attribution
from lookalike.explanation.approximate.captum_methods import CAPTUM_METHODS, AnyMethod
from lookalike.explanation.saliency import METHODS, Baseline, Method
from lookalike.model import Model
from lookalike.preprocessing import Preprocessing


@overload
def explain(
    model: Model, a: Picture, b: Picture, *, names: GroupNames | None = None
) -> Explanation: ...


@overload
def explain(
    model: Model,
    a: Picture,
    b: Picture,
    *,
    method: AnyMethod | Method,
    layer: nn.Module | str | None = None,
    steps: int = STEPS,
    baseline: Baseline = "mean",
    cells: int | None = None,
) -> Attribution: ...


@overload
def explain(
    model: nn.Module,
    a: Picture,
    b: Picture,
    *,
    preprocessing: Preprocessing,
    method: AnyMethod | None = None,
    layer: nn.Module | str | None = None,
    steps: int = STEPS,
    baseline: Baseline = "mean",
    cells: int | None = None,
) -> Attribution: ...


def explain(
    model: nn.Module,
    a: Picture,
    b: Picture,
    *,
    names: GroupNames | None = None,
    preprocessing: Preprocessing | None = None,
    method: AnyMethod | Method | None = None,
    layer: nn.Module | str | None = None,
    steps: int = STEPS,
    baseline: Baseline = "mean",
    cells: int | None = None,
) -> Explanation | Attribution:
    """Say what the score of two pictures is made of: exactly, for a model of this library.

    Any backbone with pooled features is such a model, trained here or not. Another network that
    makes a vector of a picture is explained approximately, by integrated gradients or the method
    that is asked for; and so is a model where a method is asked for. See `explain_embedder`.

    Args:
        model: What scores them; or, with `preprocessing`, any module that maps normalised pixels
            n×3×s×s to vectors n×d, which are compared by their cosine.
        a: A path, a PIL image, or a uint8 array (height, width, 3).
        b: Another, or the same.
        names: What the groups of a model are called; for the exact account.
        preprocessing: How such a module's pictures are prepared; a model has its own.
        method: A name of `CAPTUM_METHODS` such as "occlusion", an attribution class of captum, or a
            function; for a model also a name of `METHODS` or a `Method`. None is the exact account,
            and integrated gradients for other networks.
        layer: For methods that explain a layer: the module or its dotted name.
        steps: For methods with a path from a baseline: its points.
        baseline: Where paths start, and what hidden cells show: the mean colour or a blur.
        cells: Rows and columns of maps of pixels, at most.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: The model's head has no tokens to explain with, the names do not fit, there
            is no preprocessing, the module does not give vectors, there is no such method, or it
            does not fit the network.

    >>> from PIL import Image
    >>> from lookalike import Preprocessing, create_model, heads
    >>> red, green = (Image.new("RGB", (80, 60), name) for name in ("red", "green"))
    >>> small = Preprocessing(size=64)
    >>> net = create_model(
    ...     "resnet18", head=heads.Pooled(), preprocessing=small, pretrained=False
    ... )
    >>> explain(net, red, green).gap < 1e-5
    True
    """
    if isinstance(model, Model):
        if preprocessing is not None:
            raise UsageError("a model has its own preprocessing: leave it out")
        if method is None:
            return explain_pairs(model, [(a, b)], names=names)[0]
    if names is not None:
        raise UsageError("only an exact account has groups to name: leave names or method out")
    if isinstance(method, str) and isinstance(model, Model) and layer is None:
        method = _own(method) or method
    if isinstance(method, Method):
        if not isinstance(model, Model):
            raise UsageError(f"{method.name} explains models of this library; pass another method")
        return explain_by_saliency(model, a, b, method)
    return explain_embedder(
        model,
        a,
        b,
        preprocessing=preprocessing,
        method=METHOD if method is None else method,
        layer=layer,
        steps=steps,
        baseline=baseline,
        cells=cells,
    )


def _own(name: str) -> Method | None:
    """Return a method of this library where captum has none, or would need to know the layer."""
    return METHODS.get(name) if name == "grad_cam" or name not in CAPTUM_METHODS else None
