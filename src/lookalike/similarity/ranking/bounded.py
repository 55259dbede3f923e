"""Exact top-k where a score is expensive and an upper bound of it is cheap.

The bounds of all pairs come first. A query's pairs are then scored in the order of their bounds,
until the score of its last place is above all bounds that are left: no pair that is left could take
a place, or tie with the last one.
"""

import numpy as np
import torch
from numpy.typing import NDArray

from lookalike.protocols import Bound, Similarity
from lookalike.similarity.ranking.request import Request, require_finite
from lookalike.similarity.ranking.running_best import RunningBest
from lookalike.types import Embedding, Neighbours

Places = NDArray[np.int64]
Scores = NDArray[np.float32]

PAIRS = 512
"""Pairs scored at once: on the CPU more would leave the cache."""
PAIRS_ON_DEVICE = 32768
QUERIES = 1024
"""Queries searched at once, at most."""


class PairScorer:
    """Scores single pairs, given by row and column.

    Args:
        similarity: Scores them.
        query: The rows.
        gallery: The columns.
    """

    def __init__(self, similarity: Similarity, query: Embedding, gallery: Embedding) -> None:
        self._similarity = similarity
        self._query = query
        self._gallery = gallery
        on_cpu = query.levels[0].vectors.device.type == "cpu"
        self._at_once = PAIRS if on_cpu else PAIRS_ON_DEVICE

    def __call__(self, rows: Places, columns: Places) -> Scores:
        """Return the score of each pair.

        Raises:
            LookalikeError: A score is not finite.
        """
        scores = torch.empty(len(rows))
        for start in range(0, len(rows), self._at_once):
            here = slice(start, start + self._at_once)
            a = self._query[torch.from_numpy(rows[here])]
            b = self._gallery[torch.from_numpy(columns[here])]
            scores[here] = self._similarity.pairs(a, b).to("cpu", torch.float32)
        if len(scores):
            require_finite(scores, rows)
        return scores.numpy()


def search_by_bound(request: Request, score: PairScorer, bound: Bound, *, block: int) -> Neighbours:
    """Find the best of each query.

    Args:
        request: For fewer than all candidates.
        score: Scores pairs of a query and one of the request's columns.
        bound: Gives upper bounds of the scores of a tile.
        block: Side of the largest tile.

    Raises:
        LookalikeError: A score or a bound is not finite.
    """
    n, m = len(request.own), len(request.ids)
    best = RunningBest(n, request.k + 1)
    step = max(1, min(QUERIES, block * block // m))
    for row in range(0, n, step):
        rows = slice(row, min(row + step, n))
        bounds = torch.empty(rows.stop - row, m)
        for column in range(0, m, block):
            columns = slice(column, min(column + block, m))
            bounds[:, columns] = bound(rows, columns)
        require_finite(bounds, np.arange(row, rows.stop))
        request.leave_out_own(row, 0, bounds)
        _search(best, rows, bounds.numpy(), score, width=request.k + 1)
    return request.neighbours(best)


def _search(
    best: RunningBest, within: slice, bounds: Scores, score: PairScorer, *, width: int
) -> None:
    """Score the pairs with the highest bounds, then whatever could still change a list."""

    def see(rows: Places, columns: Places) -> None:
        best.see_pairs(within, rows, columns, score(rows + within.start, columns))

    first = np.argpartition(bounds, -width, axis=1)[:, -width:]
    see(np.repeat(np.arange(len(bounds)), width), first.ravel())
    np.put_along_axis(bounds, first, -np.inf, axis=1)

    rows, columns = np.nonzero((bounds >= best.lowest(within)[:, None]) & (bounds > -np.inf))
    left = bounds[rows, columns]
    order = np.lexsort((-left, rows))
    rows, columns, left = rows[order], columns[order], left[order]
    counts = np.bincount(rows, minlength=len(bounds))
    places = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    start = 0
    while start < counts.max():
        this_round = (places >= start) & (places < start + width)
        now = this_round & (left >= best.lowest(within)[rows])
        see(rows[now], columns[now])
        start, width = start + width, 2 * width
