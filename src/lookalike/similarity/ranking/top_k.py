"""Exact top-k of a gallery, for any similarity or for inner products."""

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.errors import UsageError
from lookalike.protocols import Similarity
from lookalike.similarity.ranking.bounded import PairScorer, search_by_bound
from lookalike.similarity.ranking.request import Ids, Request, check_request, require_finite
from lookalike.similarity.ranking.running_best import DeviceBest, RunningBest
from lookalike.similarity.ranking.score_tiles import (
    Tiles,
    device_product_tiles,
    product_tiles,
    similarity_tiles,
)
from lookalike.types import Embedding, Neighbours

BLOCK = 4096
"""Side of a tile: 64 MiB of scores, large for a matrix product, small beside the vectors."""
DEEP = 8
"""Lists longer than m / 8 are made from all scores: a bound would exclude too little."""


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

    Returns:
        Lists on the CPU.

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
    request = check_request(len(query), len(gallery), k, query_ids, gallery_ids)
    ordered = request.in_order(gallery)
    if request.k * DEEP < len(gallery):
        narrow = query.to(torch.float32), ordered.to(torch.float32)
        if (bound := similarity.bound(*narrow)) is not None:
            return search_by_bound(request, PairScorer(similarity, *narrow), bound, block=block)
    return _rank(request, similarity_tiles(similarity, query, ordered, block), mirrored=False)


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

    When `query` and `gallery` are one object on the CPU, each product is taken once and serves both
    of its rows. Arguments, result and errors are those of `top_k`. The last bit of a float32
    product depends on the matrix library: equal vectors got equal scores, whatever the block, in
    every case tried, but no library promises it.

    >>> x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    >>> top_k_inner(x, x, 2, query_ids=range(3)).ids.tolist()
    [[2, 1], [2, 0], [1, 0]]
    """
    if query.shape[1] != gallery.shape[1]:
        raise UsageError(
            f"queries have {query.shape[1]} numbers and the gallery has {gallery.shape[1]}: "
            "embed both with the same model"
        )
    request = check_request(len(query), len(gallery), k, query_ids, gallery_ids)
    left = query.detach().to(torch.float32)
    right = left if gallery is query else gallery.detach().to(left)
    if not request.ascending:
        right = right[torch.from_numpy(request.order).to(right.device)]
    if not on_host(left):
        return _rank(request, device_product_tiles(left, right, block), mirrored=False)
    mirrored = gallery is query and request.mirrors
    return _rank(request, product_tiles(left, right, block, mirrored=mirrored), mirrored=mirrored)


def on_host(tensor: Tensor) -> bool:
    """Tell whether NumPy can work on a tensor without a copy."""
    return tensor.device.type == "cpu"


def _rank(request: Request, tiles: Tiles, *, mirrored: bool) -> Neighbours:
    """Keep the best of all tiles, where the scores are."""
    best: RunningBest | DeviceBest | None = None
    for row, column, scores in tiles:
        if best is None:
            size = len(request.own), request.k + 1
            best = RunningBest(*size) if on_host(scores) else DeviceBest(*size, scores.device)
        require_finite(scores, np.arange(row, row + len(scores)))
        request.leave_out_own(row, column, scores)
        best.see(row, column, scores)
        if mirrored and row != column:
            best.see(column, row, scores.T)
    assert best is not None
    return request.neighbours(best)
