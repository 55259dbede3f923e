"""Exact top-k of a gallery for any similarity, with rules for ties, self-matches and k.

The order is by score, then by gallery id; a query is never its own match, by id; a place without
a candidate is marked and is no hit (STANDARDS 1). Scores are float32 and are made and dropped one
tile at a time, on the CPU.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int64
from numpy.typing import NDArray
from torch import Tensor

from lookalike.errors import LookalikeError, UsageError
from lookalike.protocols import Similarity
from lookalike.similarity.cosine import CosineSimilarity
from lookalike.similarity.selection import RunningBest
from lookalike.types import Embedding, Neighbours

Ids = Int64[Tensor, " _"] | NDArray[Any] | Sequence[int] | range

BLOCK = 4096  # 64 MiB of scores: large for a matrix product, small beside the vectors
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
    if isinstance(similarity, CosineSimilarity):
        left = similarity.candidates(query)
        right = left if gallery is query else similarity.candidates(gallery)
        if left is not None and right is not None:
            return top_k_inner(
                left, right, k, query_ids=query_ids, gallery_ids=gallery_ids, block=block
            )
    plan = _plan(len(query), len(gallery), k, query_ids, gallery_ids)
    ordered = gallery if plan.ascending else gallery[torch.from_numpy(plan.order)]
    tiles = (
        (i, j, _array(similarity.matrix(query[i : i + block], ordered[j : j + block])).copy())
        for i in range(0, len(query), block)
        for j in range(0, len(gallery), block)
    )
    return _rank(plan, tiles, mirrored=False)


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
    plan = _plan(len(query), len(gallery), k, query_ids, gallery_ids)
    left = _array(query)
    right = left if gallery is query else _array(gallery)
    mirrored = gallery is query and plan.mirrors
    ordered = right if plan.ascending else right[plan.order]
    return _rank(plan, _products(left, ordered, block, mirrored=mirrored), mirrored=mirrored)


@dataclass(frozen=True, slots=True)
class _Plan:
    """How a request is carried out: the gallery's columns stand in the order of their ids.

    Args:
        k: Places in a list.
        ids: Gallery ids, ascending.
        order: The gallery's rows in that order.
        ascending: They were so already.
        own: The column of each query itself, -1 where it has none.
        mirrors: Within one set, what holds for row i and column j holds for row j and column i.
    """

    k: int
    ids: NDArray[np.int64]
    order: NDArray[np.int64]
    ascending: bool
    own: NDArray[np.int64]
    mirrors: bool


def _plan(n: int, m: int, k: int, query_ids: Ids | None, gallery_ids: Ids | None) -> _Plan:
    if n == 0 or m == 0:
        raise UsageError(f"nothing to rank: {n} queries and {m} gallery images")
    if k < 1:
        raise UsageError(f"k = {k}: ask for at least one neighbour")
    ids = np.arange(m) if gallery_ids is None else _ids(gallery_ids, m, "gallery_ids")
    order = np.argsort(ids, kind="stable")
    ascending = bool((order[:-1] < order[1:]).all())
    ids = ids[order]
    if (ids[1:] == ids[:-1]).any():
        twice = ids[1:][ids[1:] == ids[:-1]][0]
        raise UsageError(f"gallery_ids: {twice} occurs twice; ids must be unique")
    own = np.full(n, -1)
    if query_ids is not None:
        wanted = _ids(query_ids, n, "query_ids")
        at = np.minimum(np.searchsorted(ids, wanted), m - 1)
        own = np.where(ids[at] == wanted, at, -1)
    candidates = m - int((own >= 0).all())
    mirrors = ascending and (query_ids is None or np.array_equal(own, np.arange(m)))
    return _Plan(max(1, min(k, candidates)), ids, order, ascending, own, mirrors)


def _ids(ids: Ids, count: int, name: str) -> NDArray[np.int64]:
    array = np.asarray(ids)
    if array.dtype.kind not in "iu" or array.shape != (count,):
        raise UsageError(
            f"{name} must be {count} integers, one for each image, "
            f"got {array.dtype} of shape {array.shape}"
        )
    if array.min() < 0:
        raise UsageError(f"{name}: {array.min()} is negative; -1 marks places without a candidate")
    return array.astype(np.int64)


def _array(tensor: Tensor) -> NDArray[np.float32]:
    array: NDArray[np.float32] = tensor.detach().to("cpu", torch.float32).numpy()
    return array


Tiles = Iterator[tuple[int, int, NDArray[np.float32]]]


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


def _rank(plan: _Plan, tiles: Tiles, *, mirrored: bool) -> Neighbours:
    best = RunningBest(len(plan.own), plan.k + 1)  # one more, to see whether it ties
    for row, column, scores in tiles:
        if not (np.isfinite(scores.min()) and np.isfinite(scores.max())):
            bad = row + int(np.argwhere(~np.isfinite(scores))[0, 0])
            raise LookalikeError(
                f"a score of query {bad} is not finite: look for NaN or infinite numbers in the "
                "embeddings of the queries and the gallery"
            )
        own = plan.own[row : row + len(scores)] - column
        inside = np.flatnonzero((own >= 0) & (own < scores.shape[1]))
        scores[inside, own[inside]] = -np.inf
        best.see(row, column, scores)
        if mirrored and row != column:
            best.see(column, row, scores.T)
    columns, values = best.ranked()
    tied = (columns[:, -1] >= 0) & (values[:, -1] == values[:, -2])
    ids = np.where(columns < 0, -1, plan.ids[columns])[:, :-1]
    return Neighbours(
        torch.from_numpy(np.ascontiguousarray(ids)),
        torch.from_numpy(np.ascontiguousarray(values[:, :-1])),
        torch.from_numpy(tied),
    )
