"""What every search for the k best shares: the checked request, and the answer's form."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Int64
from numpy.typing import NDArray
from torch import Tensor

from lookalike.errors import LookalikeError, UsageError
from lookalike.similarity.selection import RunningBest
from lookalike.types import Embedding, Neighbours

Scores = NDArray[np.float32]
Ids = Int64[Tensor, " _"] | NDArray[Any] | Sequence[int] | range


@dataclass(frozen=True, slots=True)
class Plan:
    """How a request is carried out: the gallery's columns are its rows in the order of their ids.

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

    def in_order(self, gallery: Embedding) -> Embedding:
        """Return the gallery's columns."""
        return gallery if self.ascending else gallery[torch.from_numpy(self.order)]

    def start(self) -> RunningBest:
        """Return empty lists, with a place more than asked for, to see whether it ties."""
        return RunningBest(len(self.own), self.k + 1)

    def leave_out_own(self, row: int, column: int, scores: Scores) -> None:
        """Give each query itself the score of nobody, in a tile that starts at row and column."""
        own = self.own[row : row + len(scores)] - column
        inside = np.flatnonzero((own >= 0) & (own < scores.shape[1]))
        scores[inside, own[inside]] = -np.inf

    def neighbours(self, best: RunningBest) -> Neighbours:
        """Turn columns back into ids, and say what was cut by id."""
        columns, values = best.ranked()
        tied = (columns[:, -1] >= 0) & (values[:, -1] == values[:, -2])
        ids = np.where(columns < 0, -1, self.ids[columns])[:, :-1]
        return Neighbours(
            torch.from_numpy(np.ascontiguousarray(ids)),
            torch.from_numpy(np.ascontiguousarray(values[:, :-1])),
            torch.from_numpy(tied),
        )


def plan_search(n: int, m: int, k: int, query_ids: Ids | None, gallery_ids: Ids | None) -> Plan:
    """Check a request for the k best of m images for each of n queries.

    Raises:
        UsageError: There is nothing to rank, or k or the ids do not fit.
    """
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
    return Plan(max(1, min(k, candidates)), ids, order, ascending, own, mirrors)


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


def require_finite(scores: Scores, queries: NDArray[np.int64]) -> None:
    """Check scores, or rows of them.

    Args:
        scores: At least one.
        queries: The query of each, or of each row.

    Raises:
        LookalikeError: A score is not finite; its query is named.
    """
    if np.isfinite(scores.min()) and np.isfinite(scores.max()):
        return
    bad = queries[np.argwhere(~np.isfinite(scores))[0, 0]]
    raise LookalikeError(
        f"a score of query {bad} is not finite: look for NaN or infinite numbers in the "
        "embeddings of the queries and the gallery"
    )


def to_array(tensor: Tensor) -> Scores:
    """Return a tensor as float32 on the CPU; it may share memory."""
    array: Scores = tensor.detach().to("cpu", torch.float32).numpy()
    return array
