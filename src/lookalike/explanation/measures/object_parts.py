"""Where object parts (head, wing, …) are known to lie in pictures: from masks or keypoints."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, floor, hypot
from typing import Any

import numpy as np
import numpy.typing as npt
from jaxtyping import Float64, Int64

from lookalike.data import FIGURE_PARTS, Catalog, has_masks, read_masks, size_of
from lookalike.errors import UsageError
from lookalike.explanation.measures.receptive_field import Offset
from lookalike.preprocessing import Geometry, Preprocessing

Points = Float64[npt.NDArray[Any], "k 2"]
Codes = Int64[npt.NDArray[Any], " k"]

NEAR = 0.1
"""Distance within which a point counts as on a keypoint, as a share of the diagonal of the
picture's box, or of the picture where there is no box."""
_FINE = 9  # points along each side of a cell that are looked up; odd, so one is the centre


@dataclass(frozen=True, slots=True, eq=False)
class KnownParts:
    """The pictures of a catalog in which object parts are known, and which part lies where.

    Args:
        catalog: Only these pictures.
        names: Of the object parts.
        elsewhere: The name of what is on none of them.
        whole: The name of all object parts together.
        locate: Takes a picture's number in `catalog` and points (x, y) in pixels of the upright
            original; returns the number of the object part at each, `len(names)` for none.
    """

    catalog: Catalog
    names: tuple[str, ...]
    elsewhere: str
    whole: str
    locate: Callable[[int, Points], Codes]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of what a point can be on: the object parts, and last none of them."""
        return (*self.names, self.elsewhere)


@dataclass(frozen=True, slots=True, eq=False)
class PartsUnderCells:
    """What lies under the cells of a map over one picture; cells in row-major order.

    Args:
        centre: The column of `KnownParts.columns` at the middle of each cell.
        cover: The share of each cell that each column covers; rows sum to one.
    """

    centre: Int64[npt.NDArray[Any], " p"]
    cover: Float64[npt.NDArray[Any], "p columns"]

    @property
    def at_centre(self) -> Float64[npt.NDArray[Any], "p columns"]:
        """`centre` as a table of zeros and ones."""
        table: npt.NDArray[np.float64] = np.eye(self.cover.shape[1])[self.centre]
        return table


def known_parts(catalog: Catalog) -> KnownParts:
    """Return where object parts are known in a catalog's pictures.

    On catalogs with keypoints (CUB) a point is on the nearest visible keypoint if that is within
    `NEAR`; pictures without a visible keypoint are left out. On pictures drawn by
    `lookalike.data.write_parts` the masks are read.

    Raises:
        UsageError: No object parts are known.
    """
    if catalog.keypoint_names:
        visible = ~np.isnan(catalog.keypoints).any(axis=2)
        catalog = catalog.subset(visible.any(axis=1))
        if len(catalog):
            near = partial(_nearest_keypoint, catalog)
            return KnownParts(catalog, catalog.keypoint_names, "elsewhere", "any keypoint", near)
    elif has_masks(catalog):
        return KnownParts(catalog, FIGURE_PARTS, "background", "figure", partial(_on_mask, catalog))
    raise UsageError(
        f"{catalog.root}: no parts are known in these pictures; it takes keypoints, as cub:ROOT "
        "brings them, or pictures drawn by `lookalike data draw`"
    )


def unknown_parts(catalog: Catalog) -> str | None:
    """Return why no object parts are known in a catalog's pictures; None where they are."""
    try:
        known_parts(catalog)
    except UsageError as error:
        return str(error)
    return None


def parts_under_cells(
    known: KnownParts,
    row: int,
    preprocessing: Preprocessing,
    grid: tuple[int, int],
    *,
    offset: Offset = (0.0, 0.0),
) -> PartsUnderCells:
    """Look up what lies under each cell of a map.

    Args:
        known: Where object parts are.
        row: Which of its pictures.
        preprocessing: Of the network that the map comes from.
        grid: Height and width of the map.
        offset: Of the cells' receptive fields, right and down of where cells are drawn, in pixels
            of the network's input; see `receptive_field_offset`.
    """
    left, top, right, bottom = seen_by(known.catalog, row, preprocessing).box
    per_pixel = (right - left) / preprocessing.size
    across = (np.arange(grid[1] * _FINE) + 0.5) * ((right - left) / (grid[1] * _FINE))
    down = (np.arange(grid[0] * _FINE) + 0.5) * ((bottom - top) / (grid[0] * _FINE))
    x, y = np.meshgrid(left + offset[0] * per_pixel + across, top + offset[1] * per_pixel + down)
    codes = known.locate(row, np.stack([x.ravel(), y.ravel()], axis=1))
    fine = codes.reshape(grid[0], _FINE, grid[1], _FINE).transpose(0, 2, 1, 3)
    by_cell = fine.reshape(grid[0] * grid[1], _FINE * _FINE)
    columns = np.arange(len(known.columns))
    cover = (by_cell[..., None] == columns).mean(axis=1)
    return PartsUnderCells(by_cell[:, _FINE * _FINE // 2], cover)


def seen_by(catalog: Catalog, row: int, preprocessing: Preprocessing) -> Geometry:
    """Return where the network's input lies on a picture of a catalog; its box is considered."""
    width, height = size_of(catalog.path(row))
    box = catalog.boxes[row]
    if not preprocessing.use_boxes or np.isnan(box).any():
        return preprocessing.geometry(width, height)
    # Pictures are cut to whole pixels, as `lookalike.data.decode` does.
    left, top = max(0, floor(box[0])), max(0, floor(box[1]))
    right, bottom = min(width, ceil(box[2])), min(height, ceil(box[3]))
    inside = preprocessing.geometry(right - left, bottom - top)
    x0, y0, x1, y1 = inside.box
    return replace(
        inside, width=width, height=height, box=(x0 + left, y0 + top, x1 + left, y1 + top)
    )


def _on_mask(catalog: Catalog, row: int, points: Points) -> Codes:
    """Return the object part of the pixel under each point."""
    masks = read_masks(catalog.path(row))
    height, width = masks[FIGURE_PARTS[0]].shape
    parts = np.full((height, width), len(FIGURE_PARTS), np.int64)
    for code, part in enumerate(FIGURE_PARTS):
        parts[masks[part]] = code
    x, y = np.floor(points).astype(np.int64).T
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    codes: npt.NDArray[np.int64] = np.full(len(points), len(FIGURE_PARTS), np.int64)
    codes[inside] = parts[y[inside], x[inside]]
    return codes


def _nearest_keypoint(catalog: Catalog, row: int, points: Points) -> Codes:
    """Return the nearest visible keypoint of each point, if it is near enough."""
    keypoints, box = catalog.keypoints[row], catalog.boxes[row]
    if np.isnan(box).any():
        diagonal = hypot(*size_of(catalog.path(row)))
    else:
        diagonal = hypot(box[2] - box[0], box[3] - box[1])
    apart = np.linalg.norm(points[:, None] - keypoints, axis=2)
    apart = np.where(np.isnan(apart), np.inf, apart)
    codes: npt.NDArray[np.int64] = np.where(
        apart.min(axis=1) <= NEAR * diagonal, apart.argmin(axis=1), len(keypoints)
    )
    return codes
