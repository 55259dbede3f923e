"""A checked request for the k best of a gallery, and how its answer is written."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int64
from numpy.typing import NDArray
from torch import Tensor

from lookalike.errors import LookalikeError, UsageError
from lookalike.similarity.ranking.running_best import DeviceBest, RunningBest
from lookalike.types import Embedding, Neighbours

Ids = Int64[Tensor, " _"] | NDArray[Any] | Sequence[int] | range


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for. The gallery's columns are its rows in the order of their ids.

    Args:
        k: Places in a list.
        ids: Gallery ids, ascending.
        order: The gallery's rows in that order.
        ascending: Whether they were in that order already.
        own: The column of each query itself, -1 where it has none.
        mirrors: Whether, within one set, row i and column j are the pair of row j and column i.
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

    def leave_out_own(self, row: int, column: int, scores: Float[Tensor, "n m"]) -> None:
        """Leave each query out of its own results, in a tile that starts at row and column."""
        own = self.own[row : row + len(scores)] - column
        inside = np.flatnonzero((own >= 0) & (own < scores.shape[1]))
        if len(inside):
            rows, columns = (torch.from_numpy(each) for each in (inside, own[inside]))
            scores[rows.to(scores.device), columns.to(scores.device)] = -torch.inf

    def neighbours(self, best: RunningBest | DeviceBest) -> Neighbours:
        """Turn columns back into ids, and tell which lists were cut by id alone.

        Args:
            best: Lists with one place more than `k`: it shows whether the last place ties.
        """
        columns, values = best.ranked()
        tied = (columns[:, -1] >= 0) & (values[:, -1] == values[:, -2])
        ids = np.where(columns < 0, -1, self.ids[columns])[:, :-1]
        return Neighbours(
            torch.from_numpy(np.ascontiguousarray(ids)),
            torch.from_numpy(np.ascontiguousarray(values[:, :-1])),
            torch.from_numpy(tied),
        )


def check_request(
    n: int, m: int, k: int, query_ids: Ids | None, gallery_ids: Ids | None
) -> Request:
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
    return Request(max(1, min(k, candidates)), ids, order, ascending, own, mirrors)


def _ids(ids: Ids, count: int, name: str) -> NDArray[np.int64]:
    array = np.asarray(ids.cpu() if isinstance(ids, Tensor) else ids)
    if array.dtype.kind not in "iu" or array.shape != (count,):
        raise UsageError(
            f"{name} must be {count} integers, one for each image, "
            f"got {array.dtype} of shape {array.shape}"
        )
    if array.min() < 0:
        raise UsageError(f"{name}: {array.min()} is negative; -1 marks places without a candidate")
    return array.astype(np.int64)


def require_finite(scores: Float[Tensor, "n *m"], queries: NDArray[np.int64]) -> None:
    """Check scores, or rows of them.

    Args:
        scores: At least one.
        queries: The query of each, or of each row.

    Raises:
        LookalikeError: A score is not finite; its query is named.
    """
    if (
        scores.device.type == "cpu"
    ):  # of a part of a tile, NumPy finds the ends in a third of the time
        ends = [float(scores.numpy().min()), float(scores.numpy().max())]
    else:
        ends = torch.stack(scores.aminmax()).tolist()
    if np.isfinite(ends).all():
        return
    bad = queries[int((~scores.isfinite()).nonzero()[0, 0])]
    raise LookalikeError(
        f"a score of query {bad} is not finite: look for NaN or infinite numbers in the "
        "embeddings of the queries and the gallery"
    )
