"""The score of a pair with the history of everything that it is made from.

A graph's certainties carry no gradient in training, where that is a rule of the method. In eval
mode they do, so that a gradient is that of the score that is shown.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.explanation.saliency.grid import to_grid
from lookalike.model import Model, evaluating
from lookalike.types import Embedding, FeatureMaps, Tokens


def pair_scores(
    model: Model, a: Float[Tensor, "n 3 s s"], b: Float[Tensor, "n 3 s s"]
) -> Float[Tensor, " n"]:
    """Score pictures row by row as `similarity.pairs` does, with the history of the pixels.

    Args:
        model: What scores them; in eval mode for the time of the call.
        a: Normalised pixels on the model's device.
        b: Likewise.
    """
    with evaluating(model):
        left, right = model(a), model(b)
    return score_embeddings(model, left, right)


def score_embeddings(model: Model, a: Embedding, b: Embedding) -> Float[Tensor, " n"]:
    """Score embeddings row by row, with history."""
    return model.similarity.pairs(a, b, history=True)


def with_gradient(images: Float[Tensor, "n 3 s s"], device: torch.device) -> Tensor:
    """Return pixels on a device that start a history: gradients can be asked of them."""
    return images.detach().to(device, copy=True).requires_grad_()


@torch.no_grad()
def stage_maps(model: Model, images: Float[Tensor, "n 3 s s"]) -> FeatureMaps:
    """Return the backbone's maps, each the start of a history; the model is left in its mode."""
    with evaluating(model):
        maps = model.features(images.to(model.device))
    return FeatureMaps(tuple(z.detach().requires_grad_() for z in maps.stages), maps.strides)


@torch.no_grad()
def pair_tokens(
    model: Model, a: Float[Tensor, "n 3 s s"], b: Float[Tensor, "n 3 s s"]
) -> tuple[Tokens, Tokens]:
    """Return the tokens of both pictures of each pair, without history."""
    with evaluating(model):
        left, right = (
            model.head.tokens(model.features(images.to(model.device))) for images in (a, b)
        )
    return left, right


@torch.no_grad()
def input_grid(model: Model, images: Float[Tensor, "n 3 s s"]) -> tuple[int, int]:
    """Return height and width of the exact map: those of the finest tokens of the head."""
    with evaluating(model):
        grids = model.head.tokens(model.features(images[:1].to(model.device))).grids
    return max(h for h, _ in grids), max(w for _, w in grids)


def by_cell(
    model: Model, images: Float[Tensor, "n 3 s s"], values: Float[Tensor, "n 3 s s"]
) -> Float[Tensor, "n h w"]:
    """Add up what each colour of each pixel has, in the cells of the exact map."""
    return to_grid(values.sum(dim=1), input_grid(model, images))
