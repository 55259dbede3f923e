"""Explain one pair: exactly for a model, approximately for any other network."""

from typing import overload

from torch import nn

from lookalike.data import Picture
from lookalike.errors import UsageError
from lookalike.explanation.account.explanation import Explanation
from lookalike.explanation.account.group_names import GroupNames
from lookalike.explanation.account.pair import explain_pairs
from lookalike.explanation.approximate.any_network import STEPS, explain_embedder
from lookalike.explanation.approximate.attribution import Attribution
from lookalike.explanation.saliency import Baseline
from lookalike.model import Model
from lookalike.preprocessing import Preprocessing


@overload
def explain(
    model: Model, a: Picture, b: Picture, *, names: GroupNames | None = None
) -> Explanation: ...


@overload
def explain(
    model: nn.Module,
    a: Picture,
    b: Picture,
    *,
    preprocessing: Preprocessing,
    steps: int = STEPS,
    baseline: Baseline = "mean",
) -> Attribution: ...


def explain(
    model: nn.Module,
    a: Picture,
    b: Picture,
    *,
    names: GroupNames | None = None,
    preprocessing: Preprocessing | None = None,
    steps: int = STEPS,
    baseline: Baseline = "mean",
) -> Explanation | Attribution:
    """Say what the score of two pictures is made of: exactly, for a model of this library.

    Any backbone with pooled features is such a model, trained here or not. Another network that
    makes a vector of a picture is explained approximately, see `explain_embedder`.

    Args:
        model: What scores them; or, with `preprocessing`, any module that maps normalised pixels
            n×3×s×s to vectors n×d, which are compared by their cosine.
        a: A path, a PIL image, or a uint8 array (height, width, 3).
        b: Another, or the same.
        names: What the groups of a model are called.
        preprocessing: How such a module's pictures are prepared; a model has its own.
        steps: For such a module only: points on the path of either picture.
        baseline: Likewise: where the paths start, the mean colour or a blur of the picture.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: The model's head has no tokens to explain with, the names do not fit, there
            is no preprocessing, or the module does not give vectors.

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
        return explain_pairs(model, [(a, b)], names=names)[0]
    if names is not None:
        raise UsageError(
            f"{type(model).__name__} has no groups to name: leave names out, or pass a model"
        )
    return explain_embedder(
        model, a, b, preprocessing=preprocessing, steps=steps, baseline=baseline
    )
