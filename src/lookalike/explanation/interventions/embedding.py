"""Embed pixels, as they are or changed, in batches."""

from collections.abc import Iterable

import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.model import Model, evaluating
from lookalike.types import Embedding


def embed_images(
    model: Model, images: Float[Tensor, "n 3 s s"], *, batch_size: int = 64
) -> Embedding:
    """Embed normalised pixels in batches, in eval mode; the result is on the CPU."""
    return embed_batches(model, torch.split(images, batch_size))


@torch.no_grad()
def embed_batches(model: Model, batches: Iterable[Float[Tensor, "n 3 s s"]]) -> Embedding:
    """Embed batches one after the other, as they are made; otherwise as `embed_images`."""
    with evaluating(model):
        return Embedding.cat([model(images.to(model.device)).to("cpu") for images in batches])
