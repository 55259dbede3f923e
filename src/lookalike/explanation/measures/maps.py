"""The maps of many pairs, in batches."""

from collections.abc import Iterable

import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.errors import LookalikeError
from lookalike.explanation.saliency import Method, Saliency
from lookalike.model import Model, evaluating
from lookalike.types import Embedding


def saliency_of(
    method: Method,
    model: Model,
    a: Float[Tensor, "n 3 s s"],
    b: Float[Tensor, "n 3 s s"],
    *,
    batch_size: int = 64,
) -> Saliency:
    """Ask a method for the maps of pairs.

    Args:
        method: Which.
        model: What scores the pairs.
        a: The first pictures, normalised pixels.
        b: The second ones.
        batch_size: Pictures in a batch; a pair has two.

    Raises:
        LookalikeError: A map holds a number that is not finite.
    """
    at_once = max(1, batch_size // 2)
    pieces = [
        method(model, a[start : start + at_once], b[start : start + at_once])
        for start in range(0, len(a), at_once)
    ]
    whole = Saliency(torch.cat([piece.a for piece in pieces]), torch.cat([p.b for p in pieces]))
    if not (whole.a.isfinite().all() and whole.b.isfinite().all()):
        raise LookalikeError(f"{method.name}: a map holds a number that is not finite")
    return whole


def embed_images(
    model: Model, images: Float[Tensor, "n 3 s s"], *, batch_size: int = 64
) -> Embedding:
    """Embed normalised pixels in batches, in eval mode; the result is on the CPU."""
    return embed_batches(model, torch.split(images, batch_size))


@torch.no_grad()
def embed_batches(model: Model, batches: Iterable[Float[Tensor, "n 3 s s"]]) -> Embedding:
    """Embed batches as they come, one after the other; otherwise as `embed_images`."""
    with evaluating(model):
        return Embedding.cat([model(images.to(model.device)).to("cpu") for images in batches])
