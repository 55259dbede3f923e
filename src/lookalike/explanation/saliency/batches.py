"""The maps of many pairs, a batch at a time."""

import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.errors import LookalikeError
from lookalike.explanation.saliency.method import Method, Saliency
from lookalike.model import Model


def saliency_of(
    method: Method,
    model: Model,
    a: Float[Tensor, "n 3 s s"],
    b: Float[Tensor, "n 3 s s"],
    *,
    batch_size: int = 64,
) -> Saliency:
    """Return a method's maps of pairs.

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
    batches = zip(torch.split(a, at_once), torch.split(b, at_once), strict=True)
    pieces = [method(model, *batch) for batch in batches]
    whole = Saliency(torch.cat([piece.a for piece in pieces]), torch.cat([p.b for p in pieces]))
    if not (whole.a.isfinite().all() and whole.b.isfinite().all()):
        raise LookalikeError(f"{method.name}: a map holds a number that is not finite")
    return whole
