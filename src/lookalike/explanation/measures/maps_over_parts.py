"""Maps of a catalog's pictures, each with what lies under its cells."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from jaxtyping import Float64

from lookalike.data.loading import EvaluationBatches
from lookalike.explanation.map_kinds import ATTENTION, LENGTH, Of, group_maps
from lookalike.explanation.measures.cell_offset import Offset, cell_offset
from lookalike.explanation.measures.known_parts import Cells, KnownParts, cells_of
from lookalike.model import Model

Maps = Float64[npt.NDArray[Any], "g p"]


class Shares(NamedTuple):
    """What shares of some maps are on each column of `KnownParts.columns`; rows sum to one.

    Args:
        peaks: Of the peak, by the middle of its cell; cells that tie for it share it.
        mass: Of what is above zero, by area.
    """

    peaks: Float64[npt.NDArray[Any], "g columns"]
    mass: Float64[npt.NDArray[Any], "g columns"]


def shares_of(maps: Maps, cells: Cells) -> Shares:
    """Say what shares of maps are on what; each needs a value above zero."""
    highest = maps == maps.max(axis=1, keepdims=True)
    peaks = highest / highest.sum(axis=1, keepdims=True)
    above = maps.clip(min=0)
    mass = above / above.sum(axis=1, keepdims=True)
    return Shares(peaks @ cells.at_centre, mass @ cells.cover)


def by_chance(cells: Cells) -> Shares:
    """Say what a map without any preference has on what: a peak anywhere, and uniform mass."""
    return shares_of(np.ones((1, len(cells.centre))), cells)


def group_maps_over_parts(
    model: Model,
    known: KnownParts,
    *,
    of: Of,
    offset: Offset | None = None,
    batch_size: int = 128,
) -> Iterator[tuple[Maps, Cells]]:
    """Go through the pictures in which parts are known.

    Args:
        model: Whose groups.
        known: The pictures, and what lies where.
        of: Which maps.
        offset: See `cell_offset`, which measures it if None.
        batch_size: How many pictures go through the network at once.

    Yields:
        For each picture the maps of all groups, and what lies under their cells.
    """
    kind = LENGTH if of == "tokens" else ATTENTION
    p = model.preprocessing
    row = 0
    for batch in EvaluationBatches(known.catalog, p, batch_size=batch_size):
        maps = group_maps(model, batch.images, kind=kind)[0].double().numpy()
        grid = (maps.shape[2], maps.shape[3])
        offset = cell_offset(model, grid) if offset is None else offset
        for values in maps:
            yield values.reshape(len(values), -1), cells_of(known, row, p, grid, offset=offset)
            row += 1
