"""Explain a pair by any network that makes vectors, or a model, with any attribution of captum."""

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float, Float64
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity

from lookalike.data import Picture, read_for, to_inputs
from lookalike.errors import LookalikeError, UsageError
from lookalike.explanation.account.pictured import name_of, pictured
from lookalike.explanation.approximate.attribution import Attribution
from lookalike.explanation.approximate.captum_methods import (
    AnyMethod,
    Chosen,
    attribute,
    cell_numbers,
    choose,
    last_map,
)
from lookalike.explanation.saliency import Baseline, Method, baseline_of, saliency_of, to_grid
from lookalike.explanation.saliency.score import PairScore, pair_scores
from lookalike.model import Model, evaluating
from lookalike.preprocessing import Preprocessing

STEPS = 64
"""Points on the path to a picture."""
METHOD = "integrated_gradients"


def explain_embedder(
    embedder: nn.Module,
    a: Picture,
    b: Picture,
    *,
    preprocessing: Preprocessing | None,
    method: AnyMethod = METHOD,
    layer: nn.Module | str | None = None,
    steps: int = STEPS,
    baseline: Baseline = "mean",
    cells: int | None = None,
    batch_size: int = 32,
) -> Attribution:
    """Say approximately where the score of two pictures comes from.

    The score is the cosine of two vectors, or a model's own. A is explained with B as it is, and B
    with A as it is.

    Args:
        embedder: Maps normalised pixels n×3×s×s to vectors n×d, in eval mode each row by itself;
            it needs a gradient, and is left in its mode. Or a model.
        a: A path, a PIL image, or a uint8 array (height, width, 3).
        b: Another, or the same.
        preprocessing: How pictures are prepared for the network; None only for a model.
        method: A name of `CAPTUM_METHODS`, a class of captum, or a function, see `Attribute`.
        layer: A module or its dotted name, for methods that explain a layer; the last layer that
            gives a map if None.
        steps: Points on either path, at least 1; for methods with a path from a baseline.
        baseline: Where paths start and what hidden cells show: "mean" is the colour that
            preprocessing subtracts, "blur" the picture's own blur.
        cells: Rows and columns of the maps, at most; pixels are added up in them. None for 16, and
            6 where a method scores many combinations of hidden cells.
        batch_size: Pictures that go through the network at once.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: There is no preprocessing or no such method, the network does not give a
            differentiable vector for every picture, or the method does not fit it.
        LookalikeError: A vector holds a number that is not finite.
    """
    chosen = choose(method)
    cells = chosen.about.cells if cells is None else cells
    p = _checked(embedder, preprocessing, steps=steps, cells=cells)
    cells = min(cells, p.size)
    read = [read_for(picture, p) for picture in (a, b)]
    inputs = _like_weights(to_inputs(read, p), embedder)
    start = baseline_of(inputs, baseline)
    with evaluating(embedder):
        score = _score(embedder, inputs, names=(name_of(a, "A"), name_of(b, "B")))
        values = attribute(
            chosen,
            score,
            inputs,
            start=start,
            layer=_layer(chosen, embedder, layer, inputs),
            steps=steps,
            cells=cells,
            batch_size=batch_size,
        )
        with torch.no_grad():
            rows = torch.arange(2, device=inputs.device)
            scores, blank = score(inputs, rows).tolist(), score(start, rows).tolist()
    maps = _maps(values, p.size, cells, mean=chosen.hides_cells)
    return Attribution(
        score=scores[0],
        at_baseline=(blank[0], blank[1]) if chosen.about.complete else None,
        maps=(maps[0], maps[1]),
        pictures=(pictured(a, read[0], p, side="A"), pictured(b, read[1], p, side="B")),
        method=chosen.name,
        label=chosen.about.label,
        steps=steps if "n_steps" in chosen.options else None,
        baseline=baseline if "baselines" in chosen.options else None,
    )


def explain_by_saliency(model: Model, a: Picture, b: Picture, method: Method) -> Attribution:
    """Show the maps of one of this library's saliency methods over two pictures.

    Args:
        model: What scores them.
        a: A path, a PIL image, or a uint8 array (height, width, 3).
        b: Another, or the same.
        method: From `METHODS`, or one of your own.

    Raises:
        ImageError: A picture cannot be read; it is named.
    """
    p = model.preprocessing
    read = [read_for(picture, p) for picture in (a, b)]
    inputs = to_inputs(read, p).to(model.device)
    left, right = inputs[:1], inputs[1:]
    maps = saliency_of(method, model, left, right)
    with torch.no_grad():
        score = float(pair_scores(model, left, right))
    return Attribution(
        score=score,
        at_baseline=None,
        maps=(maps.a[0].double().numpy(), maps.b[0].double().numpy()),
        pictures=(pictured(a, read[0], p, side="A"), pictured(b, read[1], p, side="B")),
        method=method.name,
        label=method.label,
    )


def _score(
    embedder: nn.Module, inputs: Float[Tensor, "2 3 s s"], *, names: tuple[str, str]
) -> PairScore:
    """Return what scores each picture with the other one."""
    if isinstance(embedder, Model):
        with torch.no_grad():
            partners = embedder(inputs)[[1, 0]]
        return PairScore.of_model(embedder, partners)
    vectors = _vectors(embedder, inputs, names=names)
    return PairScore(embedder, embedder, cosine_similarity, vectors.flip(0))


def _layer(
    chosen: Chosen, network: nn.Module, layer: nn.Module | str | None, inputs: Tensor
) -> nn.Module | None:
    """Return the layer that a method explains; None for other methods."""
    if not chosen.needs_layer:
        if layer is not None:
            raise UsageError(f"{chosen.name} explains pixels and no layer: leave layer out")
        return None
    if isinstance(layer, str):
        try:
            return network.get_submodule(layer)
        except AttributeError:
            raise UsageError(f"{type(network).__name__} has no layer {layer!r}") from None
    if layer is not None:
        return layer
    return last_map(network.backbone if isinstance(network, Model) else network, inputs)


def _maps(
    values: Float[Tensor, "n c h w"], size: int, cells: int, *, mean: bool
) -> Float64[np.ndarray, "n rows columns"]:
    """Add up values in cells; a layer's map keeps its own positions.

    Args:
        values: Of pixels, or of a layer's positions.
        size: Side of the input, pixels.
        cells: Rows and columns.
        mean: All pixels and colours of a cell have the value of the cell: take their mean.
    """
    values = values.double()
    if values.shape[-1] != size:
        maps = values.sum(dim=1)
    elif mean:
        numbers = cell_numbers(size, cells, values.device).flatten()
        sums = values.new_zeros(len(values), cells * cells)
        sums.index_add_(1, numbers, values.mean(dim=1).flatten(1))
        maps = (sums / numbers.bincount()).view(-1, cells, cells)
    else:
        maps = to_grid(values.sum(dim=1), (cells, cells))
    as_array: Float64[np.ndarray, "n rows columns"] = maps.cpu().numpy()
    return as_array


def _checked(
    embedder: nn.Module, preprocessing: Preprocessing | None, *, steps: int, cells: int
) -> Preprocessing:
    """Check what was asked, and return how pictures are prepared."""
    if not isinstance(embedder, nn.Module):
        raise UsageError(
            f"explain takes a model (lookalike.load reads one from a folder) or a torch module, "
            f"got {type(embedder).__name__}"
        )
    if isinstance(embedder, Model):
        preprocessing = embedder.preprocessing
    if preprocessing is None:
        raise UsageError(
            f"{type(embedder).__name__} does not say how its pictures are prepared: pass "
            "preprocessing=Preprocessing(size=..., mean=..., std=...) as it was trained with"
        )
    if steps < 1 or cells < 1:
        raise UsageError(f"steps = {steps}, cells = {cells}: both must be at least 1")
    return preprocessing


def _like_weights(inputs: Float[Tensor, "n 3 s s"], embedder: nn.Module) -> Tensor:
    """Bring pixels to the device and the precision of the network's weights."""
    weight = next(embedder.parameters(), inputs)
    return inputs.to(weight.device, weight.dtype)


def _vectors(
    embedder: nn.Module, inputs: Float[Tensor, "n 3 s s"], *, names: Sequence[str]
) -> Float[Tensor, "n d"]:
    """Embed pictures; refuse what is no vector, has no gradient or is not finite."""
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
