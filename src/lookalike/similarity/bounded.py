"""Exact top-k where scoring is dear and an upper bound of the score is cheap.

Bounds of all pairs come first. A query's pairs are then scored in the order of their bounds until
its last place is above all bounds that are left: no pair left could take a place, or tie with it.
"""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lookalike.protocols import Similarity
from lookalike.similarity.plan import Plan, Scores, require_finite, to_array
from lookalike.similarity.selection import RunningBest
from lookalike.types import Embedding, Neighbours

Places = NDArray[np.int64]
Bound = Callable[[slice, slice], Tensor]

PAIRS = 512  # pairs scored at once: more would leave the cache
QUERIES = 1024  # queries searched at once, at most


class PairScorer:
    """Scores single pairs, given by row and column.

    Args:
        similarity: Does it.
        query: The rows.
        gallery: The columns.
    """

    def __init__(self, similarity: Similarity, query: Embedding, gallery: Embedding) -> None:
        self._similarity = similarity
        self._query = query
        self._gallery = gallery

    def __call__(self, rows: Places, columns: Places) -> Scores:
        """Return one score a pair.

        Raises:
            LookalikeError: A score is not finite.
        """
        scores = np.empty(len(rows), np.float32)
        for start in range(0, len(rows), PAIRS):
            here = slice(start, start + PAIRS)
            a = self._query[torch.from_numpy(rows[here])]
            b = self._gallery[torch.from_numpy(columns[here])]
            scores[here] = to_array(self._similarity.pairs(a, b))
        if len(scores):
            require_finite(scores, rows)
        return scores


def search_by_bound(plan: Plan, score: PairScorer, bound: Bound, *, block: int) -> Neighbours:
    """Find the best of each query, at most as many as the gallery has beside the query itself.

    Args:
        plan: The request, for fewer than all candidates.
        score: Scores pairs of a query and one of the plan's columns.
        bound: Gives a tile that no score of the pairs in it exceeds.
        block: Side of the largest tile.

    Raises:
        LookalikeError: A score or a bound is not finite.
    """
    best = plan.start()
    n, m = len(plan.own), len(plan.ids)
    step = max(1, min(QUERIES, block * block // m))
    for row in range(0, n, step):
        rows = slice(row, min(row + step, n))
        bounds = np.empty((rows.stop - row, m), np.float32)
        for column in range(0, m, block):
            columns = slice(column, min(column + block, m))
            bounds[:, columns] = to_array(bound(rows, columns))
        require_finite(bounds, np.arange(row, rows.stop))
        plan.leave_out_own(row, 0, bounds)
        _search(best, rows, bounds, score, width=plan.k + 1)
    return plan.neighbours(best)


def _search(
    best: RunningBest, within: slice, bounds: Scores, score: PairScorer, *, width: int
) -> None:
    """Score the first pairs of some queries, then whatever could still change a list."""

    def see(rows: Places, columns: Places) -> None:
        best.see_pairs(within, rows, columns, score(rows + within.start, columns))

    first = np.argpartition(bounds, -width, axis=1)[:, -width:]
    see(np.repeat(np.arange(len(bounds)), width), first.ravel())
    np.put_along_axis(bounds, first, -np.inf, axis=1)

    rows, columns = np.nonzero((bounds >= best.least(within)[:, None]) & (bounds > -np.inf))
    left = bounds[rows, columns]
    order = np.lexsort((-left, rows))
    rows, columns, left = rows[order], columns[order], left[order]
    counts = np.bincount(rows, minlength=len(bounds))
    places = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    start = 0
    while start < counts.max():
        round_ = (places >= start) & (places < start + width)
        now = round_ & (left >= best.least(within)[rows])
        see(rows[now], columns[now])
        start, width = start + width, 2 * width
