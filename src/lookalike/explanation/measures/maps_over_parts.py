"""Maps of a catalog's pictures, each with what lies under its cells."""

from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from jaxtyping import Float64

from lookalike.data import EvaluationBatches
from lookalike.explanation.groups.maps import GROUP_MAPS, GroupMap, group_map
from lookalike.explanation.measures.cell_offset import Offset, cell_offset
from lookalike.explanation.measures.known_parts import Cells, KnownParts, cells_of
from lookalike.model import Model, evaluating

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


class MapsOverParts(NamedTuple):
    """The maps of all groups over one picture, and what lies under their cells."""

    maps: Maps
    cells: Cells


def group_maps_over_parts(
    model: Model,
    known: KnownParts,
    *,
    maps: Sequence[GroupMap] = GROUP_MAPS,
    offset: Offset | None = None,
    batch_size: int = 128,
) -> Iterator[tuple[MapsOverParts, ...]]:
    """Go through the pictures in which parts are known, once for all kinds of maps.

    Args:
        model: Whose groups.
        known: The pictures, and what lies where.
        maps: Which maps.
        offset: See `cell_offset`, which measures it if None.
        batch_size: How many pictures go through the network at once.

    Yields:
        For each picture its maps of each kind, and what lies under their cells.
    """
    p = model.preprocessing
    offset_of = cache(partial(cell_offset, model))
    for batch in EvaluationBatches(known.catalog, p, batch_size=batch_size):
        with evaluating(model), torch.no_grad():
            features = model.features(batch.images.to(model.device))
            seen = [group_map(model, features, of).cpu().double().numpy() for of in maps]
        grids = [(values.shape[2], values.shape[3]) for values in seen]
        for place, row in enumerate(batch.ids.tolist()):
            cells = {
                grid: cells_of(
                    known, row, p, grid, offset=offset_of(grid) if offset is None else offset
                )
                for grid in set(grids)
            }
            yield tuple(
                MapsOverParts(values[place].reshape(values.shape[1], -1), cells[grid])
                for values, grid in zip(seen, grids, strict=True)
            )
