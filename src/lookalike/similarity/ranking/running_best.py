"""A running top-k whose order has no ties.

A float32 score and a column are packed into one 64-bit integer, the key, that sorts as the ranking
does: higher score first, then lower column. So no result depends on which of two equal scores a
library happens to keep, and merging is a partition of integers.
"""

from typing import Any, TypeVar

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

STRIP = 256
"""Rows scanned at once: their scores stay in the cache."""
NOBODY = 0xFFFFFFFF
"""The column of a place that is still empty."""

Bits = TypeVar("Bits", NDArray[np.int32], Tensor)


class RunningBest:
    """The k best columns seen so far, for each of n rows, on the CPU.

    Args:
        rows: n.
        k: How many to keep.
    """

    def __init__(self, rows: int, k: int) -> None:
        self._keys = np.full((rows, k), EMPTY)

    def see(self, row: int, column: int, scores: Float[Tensor, "n m"]) -> None:
        """Take in a tile of scores; each row must see its columns in ascending order.

        Args:
            row: The tile's first row.
            column: The tile's first column.
            scores: Rows by columns, any memory layout; -inf is no candidate.
        """
        tile = scores.numpy()
        height, width = tile.shape
        # While nothing is known every score passes, so the first columns come in growing pieces.
        piece = 2 * self._keys.shape[1] if column == 0 else width
        start = 0
        while start < width:
            stop = min(start + piece, width)
            for top in range(0, height, STRIP):
                strip = tile[top : top + STRIP, start:stop]
                first = row + top
                keys = self._keys[first : first + len(strip)]
                # A score equal to a row's lowest has a later column, so it is not kept.
                rows, columns = _where(strip > _scores(keys[:, :1]))
                _merge(keys, rows, columns + column + start, strip[rows, columns])
            start, piece = stop, 2 * piece

    def see_pairs(
        self,
        within: slice,
        rows: NDArray[np.int64],
        columns: NDArray[np.int64],
        scores: NDArray[np.float32],
    ) -> None:
        """Take in single scores, each pair once.

        Args:
            within: The rows that the pairs may be of.
            rows: Counted from the first of those, ascending.
            columns: One for each score.
            scores: More than -inf.
        """
        _merge(self._keys[within], rows, columns, scores)

    def lowest(self, within: slice) -> NDArray[np.float32]:
        """Return the score of each row's last place; -inf where a place is still empty."""
        return _scores(self._keys[within].min(axis=1))

    def ranked(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return columns (-1 for empty places) and scores (-inf), best first."""
        keys = np.sort(self._keys, axis=1)[:, ::-1]
        columns = NOBODY - (keys & NOBODY)
        columns[columns == NOBODY] = -1
        return columns, _scores(keys)


class DeviceBest:
    """What `RunningBest` does, with torch on any device; tiles may come in any order.

    Args:
        rows: n.
        k: How many to keep.
        device: Where the scores are.
    """

    def __init__(self, rows: int, k: int, device: torch.device) -> None:
        self._keys = torch.full((rows, k), int(EMPTY), dtype=torch.int64, device=device)

    def see(self, row: int, column: int, scores: Float[Tensor, "n m"]) -> None:
        """Take in a tile of scores.

        Args:
            row: The tile's first row.
            column: The tile's first column.
            scores: Rows by columns, float32; -inf is no candidate.
        """
        width = scores.shape[1]
        columns = torch.arange(column, column + width, device=scores.device)
        bits = _sortable((scores + 0.0).view(torch.int32)).to(torch.int64)  # -0.0 becomes 0.0
        keys = (bits << 32) | (NOBODY - columns)
        keys[scores == -torch.inf] = int(EMPTY)
        kept = self._keys[row : row + len(scores)]
        k = kept.shape[1]
        best = keys.topk(min(k, width), dim=1, sorted=False).values
        kept.copy_(torch.cat([kept, best], dim=1).topk(k, dim=1, sorted=False).values)

    def ranked(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return columns (-1 for empty places) and scores (-inf), best first."""
        best = RunningBest(0, 1)
        best._keys = self._keys.cpu().numpy()
        return best.ranked()


def _merge(
    keys: NDArray[np.int64],
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    scores: NDArray[np.float32],
) -> None:
    """Keep the best of `keys` and of single scores, in place; a row's lowest key comes first.

    Args:
        keys: The keys of each row.
        rows: The row of each score, ascending.
        columns: The column of each score.
        scores: Any.
    """
    if not len(rows):
        return
    counts = np.bincount(rows, minlength=len(keys))
    places = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    kept, added = keys.shape[1], int(counts.max())
    merged = np.full((len(keys), added + kept), EMPTY)
    merged[rows, places] = _pack(scores, columns)
    merged[:, added:] = keys
    merged.partition(added, axis=1)
    keys[:] = merged[:, added:]


def _where(mask: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows and columns of what is true, by row; a flat scan is far faster than nonzero."""
    if mask.flags.c_contiguous:
        rows, columns = np.divmod(np.flatnonzero(mask), mask.shape[1])
        return rows, columns
    columns, rows = np.divmod(np.flatnonzero(mask.T), mask.shape[0])
    by_row = np.argsort(rows.astype(np.int16), kind="stable")  # 16 bits: a radix sort
    return rows[by_row], columns[by_row]


def _pack(scores: NDArray[np.float32], columns: NDArray[np.int64]) -> NDArray[np.int64]:
    bits = (scores + np.float32(0)).view(np.int32)  # -0.0 becomes 0.0, its equal
    return (_sortable(bits).astype(np.int64) << 32) | (NOBODY - columns)


def _scores(keys: NDArray[np.int64]) -> NDArray[np.float32]:
    return _sortable((keys >> 32).astype(np.int32)).view(np.float32)


def _sortable(bits: Bits) -> Bits:
    """Turn the bits of floats into integers of the same order, and back: negative ones run down."""
    return bits ^ ((bits >> 31) & 0x7FFFFFFF)


EMPTY: Any = _pack(np.array([-np.inf], np.float32), np.array([NOBODY]))[0]
