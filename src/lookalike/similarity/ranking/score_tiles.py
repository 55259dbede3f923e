"""All scores of queries and a gallery, one tile at a time."""

from collections.abc import Iterator

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import pad

from lookalike.protocols import Similarity
from lookalike.types import Embedding

MULTIPLE = 64
"""Tiles are padded to this: for odd sizes, libraries use other kernels, which round differently."""

Tiles = Iterator[tuple[int, int, Float[Tensor, "n m"]]]
"""First row, first column and scores, which may be changed in place."""


def similarity_tiles(
    similarity: Similarity, query: Embedding, gallery: Embedding, block: int
) -> Tiles:
    """Yield the scores of any similarity, in float32."""
    for i in range(0, len(query), block):
        rows = query[i : i + block]
        for j in range(0, len(gallery), block):
            # Some similarities are faster when both arguments are the same object.
            columns = rows if gallery is query and i == j else gallery[j : j + block]
            yield i, j, similarity.matrix(rows, columns).to(torch.float32, copy=True)


def product_tiles(
    left: Float[Tensor, "n d"], right: Float[Tensor, "m d"], block: int, *, mirrored: bool
) -> Tiles:
    """Yield inner products of vectors on the CPU; if mirrored, only one side of the diagonal.

    Every row meets its columns in ascending order, its mirrored ones included. NumPy's product is
    used, not torch's: on processors where they differ, NumPy's OpenBLAS was the faster one.
    """
    x, y = left.numpy(), right.numpy()
    side = -(-block // MULTIPLE) * MULTIPLE
    buffer = np.empty(side * side, np.float32)
    for outer in range(0, len(y if mirrored else x), block):
        for inner in range(0, outer + 1 if mirrored else len(y), block):
            row, column = (inner, outer) if mirrored else (outer, inner)
            a, b = x[row : row + block], y[column : column + block]
            if row == column:
                b = b.copy()  # NumPy gives x @ x.T to another kernel, which rounds differently
            yield row, column, torch.from_numpy(_product(a, b, buffer))


def _product(
    a: NDArray[np.float32], b: NDArray[np.float32], buffer: NDArray[np.float32]
) -> NDArray[np.float32]:
    left, right = _padded(a), _padded(b)
    scores = buffer[: len(left) * len(right)].reshape(len(left), len(right))
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is reported later
        np.matmul(left, right.T, out=scores)
    return scores[: len(a), : len(b)]


def _padded(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    missing = -len(vectors) % MULTIPLE
    return np.pad(vectors, ((0, missing), (0, 0))) if missing else vectors


def device_product_tiles(
    left: Float[Tensor, "n d"], right: Float[Tensor, "m d"], block: int
) -> Tiles:
    """Yield inner products of vectors on any device, computed there.

    All tiles are products of one size, with zeros where there are no vectors, so that one kernel
    makes all of them: equal pairs then get equal scores in every tile.
    """
    height, width = (min(block, -(-len(x) // MULTIPLE) * MULTIPLE) for x in (left, right))
    for i in range(0, len(left), height):
        a = left[i : i + height]
        rows = pad(a, (0, 0, 0, height - len(a)))
        for j in range(0, len(right), width):
            b = right[j : j + width]
            columns = pad(b, (0, 0, 0, width - len(b)))
            yield i, j, (rows @ columns.T)[: len(a), : len(b)]
