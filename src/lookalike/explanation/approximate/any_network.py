"""Explain a pair by any network that makes vectors: integrated gradients of their cosine."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity

from lookalike.data import Picture, read_for, to_inputs
from lookalike.errors import LookalikeError, UsageError
from lookalike.explanation.account.pictured import name_of, pictured
from lookalike.explanation.approximate.attribution import Attribution
from lookalike.explanation.saliency import Baseline, integrate, to_grid
from lookalike.model import evaluating
from lookalike.preprocessing import Preprocessing

STEPS = 64
"""Points on the path to a picture."""
CELLS = 16
"""Rows and columns of the maps, at most."""


def explain_embedder(
    embedder: nn.Module,
    a: Picture,
    b: Picture,
    *,
    preprocessing: Preprocessing | None,
    steps: int = STEPS,
    baseline: Baseline = "mean",
    cells: int = CELLS,
    batch_size: int = 32,
) -> Attribution:
    """Say approximately what the cosine of two pictures' vectors comes from.

    The score's gradient is integrated along the straight line from a baseline to A with B as it
    is, and from a baseline to B with A as it is (Sundararajan et al., ICML 2017).

    Args:
        embedder: Maps normalised pixels n×3×s×s to vectors n×d, in eval mode each row by itself;
            it needs a gradient, and is left in its mode.
        a: A path, a PIL image, or a uint8 array (height, width, 3).
        b: Another, or the same.
        preprocessing: How its pictures are prepared.
        steps: Points on either path, at least 1; each costs two gradients.
        baseline: Where the paths start: "mean" is the colour that preprocessing subtracts, "blur"
            the picture's own blur.
        cells: Rows and columns of the maps; pixels are added up in them.
        batch_size: Pictures that go through the network at once.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: There is no preprocessing, or the network does not give a differentiable vector
            for every picture.
        LookalikeError: A vector holds a number that is not finite.
    """
    _check_request(embedder, preprocessing, steps=steps, cells=cells)
    assert preprocessing is not None
    read = [read_for(picture, preprocessing) for picture in (a, b)]
    inputs = _like_weights(to_inputs(read, preprocessing), embedder)
    with evaluating(embedder):
        other = _vectors(embedder, inputs, names=(name_of(a, "A"), name_of(b, "B"))).flip(0)
        integral = integrate(
            lambda points, rows: cosine_similarity(embedder(points), other[rows]),
            inputs,
            steps=steps,
            baseline=baseline,
            batch_size=batch_size,
        )
    side = min(cells, preprocessing.size)
    maps = to_grid(integral.values.double().sum(dim=1), (side, side)).cpu().numpy()
    at_a, at_b = integral.at_baseline.tolist()
    return Attribution(
        score=float(integral.score[0]),
        at_baseline=(at_a, at_b),
        maps=(maps[0], maps[1]),
        pictures=(
            pictured(a, read[0], preprocessing, side="A"),
            pictured(b, read[1], preprocessing, side="B"),
        ),
        steps=steps,
        baseline=baseline,
    )


def _check_request(
    embedder: nn.Module, preprocessing: Preprocessing | None, *, steps: int, cells: int
) -> None:
    if not isinstance(embedder, nn.Module):
        raise UsageError(
            f"explain takes a model (lookalike.load reads one from a folder) or a torch module, "
            f"got {type(embedder).__name__}"
        )
    if preprocessing is None:
        raise UsageError(
            f"{type(embedder).__name__} does not say how its pictures are prepared: pass "
            "preprocessing=Preprocessing(size=..., mean=..., std=...) as it was trained with"
        )
    if steps < 1 or cells < 1:
        raise UsageError(f"steps = {steps}, cells = {cells}: both must be at least 1")


def _like_weights(inputs: Float[Tensor, "n 3 s s"], embedder: nn.Module) -> Tensor:
    """Bring pixels to where the network's weights are, in their precision."""
    weight = next(embedder.parameters(), inputs)
    return inputs.to(weight.device, weight.dtype)


def _vectors(
    embedder: nn.Module, inputs: Float[Tensor, "n 3 s s"], *, names: Sequence[str]
) -> Float[Tensor, "n d"]:
    """Embed pictures, and refuse what is no vector, cannot be differentiated or is not finite."""
    called, shape = type(embedder).__name__, tuple(inputs.shape)
    try:
        with torch.enable_grad():
            vectors = embedder(inputs.clone().requires_grad_())
    except (RuntimeError, ValueError, AssertionError) as error:
        raise UsageError(
            f"{called} cannot take pixels of shape {shape} (preprocessing.size): {error}"
        ) from error
    if not isinstance(vectors, Tensor) or vectors.ndim != 2 or len(vectors) != len(inputs):
        got = tuple(vectors.shape) if isinstance(vectors, Tensor) else type(vectors).__name__
        raise UsageError(
            f"{called} gave {got} for pixels of shape {shape}: it must return one vector a "
            "picture, (n, d); wrap it in a module whose forward does"
        )
    if not vectors.requires_grad:
        raise UsageError(
            f"{called} gives vectors without a gradient: take no_grad, detach or rounding out of "
            "its forward"
        )
    for name, vector in zip(names, vectors, strict=True):
        if not vector.isfinite().all():
            raise LookalikeError(
                f"{name}: {called} gave a vector with numbers that are not finite; check its "
                "weights and the preprocessing"
            )
    return vectors.detach()
