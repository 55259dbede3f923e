"""Approximate top-k where a score is expensive: a shortlist by plain vectors, then its scores."""

import numpy as np
import torch

from lookalike.errors import UsageError
from lookalike.protocols import Similarity
from lookalike.similarity.ranking.bounded import PairScorer
from lookalike.similarity.ranking.request import Ids, check_request
from lookalike.similarity.ranking.running_best import RunningBest
from lookalike.similarity.ranking.top_k import top_k_inner
from lookalike.types import Embedding, Neighbours


def top_k_candidates(
    similarity: Similarity,
    query: Embedding,
    gallery: Embedding,
    k: int,
    *,
    shortlist: int | None = None,
    query_ids: Ids | None = None,
    gallery_ids: Ids | None = None,
) -> Neighbours:
    """Find the k best among each query's nearest by `similarity.candidates`.

    Scores are exact, and so is the order among the candidates. An image that is not among them is
    missed; `top_k` misses none.

    Args:
        similarity: Scores the pairs.
        query: n images.
        gallery: m images.
        k: How many, at least 1; capped at the number of candidates.
        shortlist: How many candidates each query has, at least k: the nearest by Euclidean
            distance. None is 5 k.
        query_ids: As in `top_k`.
        gallery_ids: As in `top_k`.

    Raises:
        UsageError: There is nothing to rank, the similarity has no candidates, or k, the
            shortlist or the ids do not fit.
        LookalikeError: A score is not finite.
    """
    shortlist = 5 * k if shortlist is None else shortlist
    if shortlist < k:
        raise UsageError(f"shortlist = {shortlist}: keep at least k = {k} candidates")
    x, y = similarity.candidates(query), similarity.candidates(gallery)
    if x is None or y is None:
        raise UsageError(f"{type(similarity).__name__} has no candidates: use top_k")
    # This is −‖x − y‖²/2 without ‖x‖²/2, which is the same for all candidates of a query.
    left = torch.cat([x, torch.ones_like(x[:, :1])], dim=1)
    right = torch.cat([y, -y.square().sum(dim=1, keepdim=True) / 2], dim=1)
    nearest = top_k_inner(
        left, right, shortlist, query_ids=query_ids, gallery_ids=gallery_ids
    ).ids.numpy()

    request = check_request(len(query), len(gallery), k, query_ids, gallery_ids)
    rows, places = np.nonzero(nearest >= 0)
    columns = np.searchsorted(request.ids, nearest[rows, places])
    scores = PairScorer(similarity, query, request.in_order(gallery))(rows, columns)
    best = RunningBest(len(query), request.k + 1)
    best.see_pairs(slice(0, len(query)), rows, columns, scores)
    return request.neighbours(best)
