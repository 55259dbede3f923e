"""Labels and vectors of any kind that callers may have, as arrays of one kind."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from lookalike.errors import UsageError
from lookalike.types import Embedding

Labels = Tensor | NDArray[Any] | Sequence[int] | range
Vectors = Tensor | NDArray[Any] | Embedding

UNIT = 1e-5
"""Norms as near to 1 as this are taken for 1."""


def codes_of(labels: Labels, count: int, name: str) -> NDArray[np.int64]:
    """Return integer labels or ids as int64.

    Raises:
        UsageError: They are not integers (floats collide above 2²⁴), or not one for each image.
    """
    array = labels.cpu().numpy() if isinstance(labels, Tensor) else np.asarray(labels)
    if array.dtype.kind not in "iu":
        raise UsageError(
            f"{name} must be integers, got {array.dtype}: give every class a whole number"
        )
    if array.shape != (count,):
        raise UsageError(f"{name} must be {count}, one for each image, got {array.shape}")
    return array.astype(np.int64)


def unit_vectors(vectors: Vectors, name: str) -> tuple[Float[Tensor, "n all"], tuple[str, ...]]:
    """Return float32 vectors of L2 norm 1, and notes on what was done to them.

    Raises:
        UsageError: They are not numbers in rows.
    """
    rows = rows_of(vectors, name)
    norms = rows.norm(dim=1, keepdim=True)
    notes = []
    if zeros := int((norms == 0).sum()):
        notes.append(f"{zeros} {name} vectors are zero: their cosine with everything is 0")
    used = norms[norms > 0]
    if len(used) and float((used - 1).abs().max()) > UNIT:
        low, high = float(used.min()), float(used.max())
        notes.append(f"{name} vectors had L2 norms {low:.4g} to {high:.4g}: they were normalised")
        rows = rows / norms.clamp(min=torch.finfo(torch.float32).tiny)
    return rows, tuple(notes)


def rows_of(vectors: Vectors, name: str) -> Float[Tensor, "n all"]:
    """Return vectors as float32 on the CPU, otherwise unchanged.

    Raises:
        UsageError: They are not numbers in rows.
    """
    if isinstance(vectors, Embedding):
        vectors = vectors.flat()
    rows = torch.as_tensor(vectors).detach()
    if rows.ndim != 2 or rows.is_complex():
        raise UsageError(f"{name} must be vectors in rows, (images, numbers), got {rows.shape}")
    return rows.to("cpu", torch.float32)
