"""A region of a picture, as the share of each map cell that it covers."""

import numpy as np
import numpy.typing as npt

from lookalike.errors import UsageError
from lookalike.preprocessing import Geometry

Array = npt.NDArray[np.float64]
Region = tuple[int, int] | tuple[float, float, float, float] | npt.NDArray[np.bool_]
"""A cell (row, column), a box in the picture's pixels, or a mask over the map's cells."""


def coverage(region: Region, *, grid: tuple[int, int], geometry: Geometry) -> Array:
    """Return how much of each map cell a region covers, from 0 to 1, as height × width.

    The shares of regions that do not overlap add up, and so do their matches.

    Args:
        region: A cell (row, column) counted from 0; a box (left, top, right, bottom) in pixels of
            the upright original; or a boolean mask, height × width of the map.
        grid: Height and width of the map.
        geometry: Where the map lies on the picture.

    Raises:
        UsageError: The region is none of these, or the network saw nothing of it.

    >>> seen = Geometry(width=300, height=200, box=(50.0, 0.0, 250.0, 200.0))
    >>> coverage((50.0, 0.0, 200.0, 100.0), grid=(2, 2), geometry=seen)
    array([[1. , 0.5],
           [0. , 0. ]])
    """
    if isinstance(region, np.ndarray):
        shares = _masked(region, grid)
    elif len(region) == 2:
        shares = _cell(region, grid)
    elif len(region) == 4:
        shares = _box(region, grid, geometry)
    else:
        raise UsageError(
            f"a region is a cell (row, column), a box (left, top, right, bottom) or a mask, "
            f"got {len(region)} numbers"
        )
    if not shares.any():
        raise UsageError(f"this region covers no cell of the map; the network saw {geometry.box}")
    return shares


def _masked(mask: npt.NDArray[np.bool_], grid: tuple[int, int]) -> Array:
    if mask.shape != grid or mask.dtype != np.bool_:
        raise UsageError(
            f"a mask is boolean and of the map's shape {grid}, got {mask.dtype} {mask.shape}"
        )
    return mask.astype(np.float64)


def _cell(cell: tuple[int, int], grid: tuple[int, int]) -> Array:
    row, column = cell
    if not (0 <= row < grid[0] and 0 <= column < grid[1]):
        raise UsageError(f"cell ({row}, {column}) is not on the map of {grid[0]}×{grid[1]} cells")
    shares = np.zeros(grid)
    shares[row, column] = 1
    return shares


def _box(
    box: tuple[float, float, float, float], grid: tuple[int, int], geometry: Geometry
) -> Array:
    left, top, right, bottom = box
    seen_left, seen_top, seen_right, seen_bottom = geometry.box
    down = _overlap(top, bottom, np.linspace(seen_top, seen_bottom, grid[0] + 1))
    across = _overlap(left, right, np.linspace(seen_left, seen_right, grid[1] + 1))
    return np.outer(down, across)


def _overlap(start: float, end: float, edges: Array) -> Array:
    """Return the share of each interval between edges that lies within start and end."""
    inside = np.minimum(edges[1:], end) - np.maximum(edges[:-1], start)
    shares: Array = np.clip(inside, 0, None) / np.diff(edges)
    return shares
