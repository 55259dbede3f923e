"""Exact top-k of a gallery for any similarity, with rules for ties, self-matches and k.

The order is by score, then by gallery id; a query is never its own match, by id; a place without
a candidate is marked and is no hit (STANDARDS 1). Scores are float32 and are made and dropped one
tile at a time, on the CPU.
"""

from collections.abc import Iterator

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from lookalike.errors import UsageError
from lookalike.protocols import Similarity
from lookalike.similarity.bounded import PairScorer, search_by_bound
from lookalike.similarity.plan import Ids, Plan, plan_search, require_finite, to_array
from lookalike.types import Embedding, Neighbours

BLOCK = 4096  # 64 MiB of scores: large for a matrix product, small beside the vectors
DEEP = 8  # lists longer than m / 8 are made from all scores: a bound would exclude too little
MULTIPLE = 64  # tiles are padded to this: BLAS rounds otherwise in its kernels for odd sizes


def top_k(
    similarity: Similarity,
    query: Embedding,
    gallery: Embedding,
    k: int,
    *,
    query_ids: Ids | None = None,
    gallery_ids: Ids | None = None,
    block: int = BLOCK,
) -> Neighbours:
    """Find the k best of the gallery for each query, exactly, in bounded memory.

    Inner products are ranked as they are. A similarity with a bound scores only what the bound
    cannot exclude; one without scores all.

    Args:
        similarity: Scores the pairs.
        query: n images.
        gallery: m images; pass the same object as `query` to rank a set within itself.
        k: How many, at least 1; capped at the number of candidates.
        query_ids: The gallery's row with the id of the query is no candidate for it. None leaves
            all in.
        gallery_ids: Unique and not negative; among equal scores the lower id comes first. None
            counts from 0.
        block: Side of a tile of scores, in images.

    Raises:
        UsageError: There is nothing to rank, or k or the ids do not fit.
        LookalikeError: A score is not finite.
    """
    if similarity.inner_product:
        left = similarity.candidates(query)
        right = left if gallery is query else similarity.candidates(gallery)
        assert left is not None
        assert right is not None
        return top_k_inner(
            left, right, k, query_ids=query_ids, gallery_ids=gallery_ids, block=block
        )
    plan = plan_search(len(query), len(gallery), k, query_ids, gallery_ids)
    ordered = plan.in_order(gallery)
    if plan.k * DEEP < len(gallery):
        narrow = query.to(torch.float32), ordered.to(torch.float32)
        if (bound := similarity.bound(*narrow)) is not None:
            return search_by_bound(plan, PairScorer(similarity, *narrow), bound, block=block)
    return _rank(plan, _scores(similarity, query, ordered, block), mirrored=False)


def top_k_inner(
    query: Float[Tensor, "n _"],
    gallery: Float[Tensor, "m _"],
    k: int,
    *,
    query_ids: Ids | None = None,
    gallery_ids: Ids | None = None,
    block: int = BLOCK,
) -> Neighbours:
    """Find the k largest inner products of each query, exactly, in bounded memory.

    When `query` and `gallery` are one object, each product is taken once and serves both of its
    rows. Arguments and errors are those of `top_k`. The last bit of a float32 product is the
    matrix library's affair: equal vectors got equal scores, whatever the block, in every case
    tried, but no library promises it.

    >>> x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    >>> top_k_inner(x, x, 2, query_ids=range(3)).ids.tolist()
    [[2, 1], [2, 0], [1, 0]]
    """
    if query.shape[1] != gallery.shape[1]:
        raise UsageError(
            f"queries have {query.shape[1]} numbers and the gallery has {gallery.shape[1]}: "
            "embed both with the same model"
        )
    plan = plan_search(len(query), len(gallery), k, query_ids, gallery_ids)
    left = to_array(query)
    right = left if gallery is query else to_array(gallery)
    mirrored = gallery is query and plan.mirrors
    ordered = right if plan.ascending else right[plan.order]
    return _rank(plan, _products(left, ordered, block, mirrored=mirrored), mirrored=mirrored)


Tiles = Iterator[tuple[int, int, NDArray[np.float32]]]


def _scores(similarity: Similarity, query: Embedding, gallery: Embedding, block: int) -> Tiles:
    for i in range(0, len(query), block):
        rows = query[i : i + block]
        for j in range(0, len(gallery), block):
            # A set against itself may cost a similarity less, which tells by the very object.
            columns = rows if gallery is query and i == j else gallery[j : j + block]
            yield i, j, to_array(similarity.matrix(rows, columns)).copy()


def _products(
    left: NDArray[np.float32], right: NDArray[np.float32], block: int, *, mirrored: bool
) -> Tiles:
    """Yield first row, first column and inner products; only one side of the diagonal if mirrored.

    Every row meets its columns in ascending order, its mirrored ones included. NumPy's product is
    used, not torch's: on processors where they differ, its OpenBLAS was the faster one.
    """
    side = -(-block // MULTIPLE) * MULTIPLE
    buffer = np.empty(side * side, np.float32)
    for outer in range(0, len(right if mirrored else left), block):
        for inner in range(0, outer + 1 if mirrored else len(right), block):
            row, column = (inner, outer) if mirrored else (outer, inner)
            a, b = left[row : row + block], right[column : column + block]
            if row == column:
                b = b.copy()  # NumPy gives x @ x.T to another kernel, with other roundings
            yield row, column, _product(a, b, buffer)


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


def _rank(plan: Plan, tiles: Tiles, *, mirrored: bool) -> Neighbours:
    best = plan.start()
    for row, column, scores in tiles:
        require_finite(scores, np.arange(row, row + len(scores)))
        plan.leave_out_own(row, column, scores)
        best.see(row, column, scores)
        if mirrored and row != column:
            best.see(column, row, scores.T)
    return plan.neighbours(best)
