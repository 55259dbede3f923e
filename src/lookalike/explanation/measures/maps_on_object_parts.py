"""Which shares of a map lie on which object part, and groups' maps with what is under them."""

from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from jaxtyping import Float64

from lookalike.data import EvaluationBatches
from lookalike.explanation.groups.maps import GROUP_MAPS, GroupMap, group_map
from lookalike.explanation.measures.object_parts import (
    KnownParts,
    PartsUnderCells,
    parts_under_cells,
)
from lookalike.explanation.measures.receptive_field import Offset, receptive_field_offset
from lookalike.model import Model, evaluating

Maps = Float64[npt.NDArray[Any], "g p"]


class Shares(NamedTuple):
    """Which shares of some maps are on each column of `KnownParts.columns`; rows sum to one.

    Args:
        peaks: Of the peak, by the middle of its cell; cells with equal values share it.
        mass: Of what is above zero, by area.
    """

    peaks: Float64[npt.NDArray[Any], "g columns"]
    mass: Float64[npt.NDArray[Any], "g columns"]


def shares_of(maps: Maps, under: PartsUnderCells) -> Shares:
    """Return which shares of maps are on which column; each map needs a value above zero."""
    highest = maps == maps.max(axis=1, keepdims=True)
    peaks = highest / highest.sum(axis=1, keepdims=True)
    above = maps.clip(min=0)
    mass = above / above.sum(axis=1, keepdims=True)
    return Shares(peaks @ under.at_centre, mass @ under.cover)


def by_chance(under: PartsUnderCells) -> Shares:
    """Return the shares of a map without any preference: a peak anywhere, and uniform mass."""
    return shares_of(np.ones((1, len(under.centre))), under)


class MapsOnParts(NamedTuple):
    """The maps of all groups over one picture, and what lies under their cells."""

    maps: Maps
    under: PartsUnderCells


def group_maps_on_parts(
    model: Model,
    known: KnownParts,
    *,
    maps: Sequence[GroupMap] = GROUP_MAPS,
    offset: Offset | None = None,
    batch_size: int = 128,
) -> Iterator[tuple[MapsOnParts, ...]]:
    """Go through the pictures in which object parts are known, once for all kinds of maps.

    Args:
        model: Whose groups.
        known: The pictures, and what lies where.
        maps: Which maps.
        offset: Of the cells' receptive fields; measured by `receptive_field_offset` if None.
        batch_size: How many pictures go through the network at once.

    Yields:
        For each picture its maps of each kind, and what lies under their cells.
    """
    p = model.preprocessing
    offset_of = cache(partial(receptive_field_offset, model))
    for batch in EvaluationBatches(known.catalog, p, batch_size=batch_size):
        with evaluating(model), torch.no_grad():
            features = model.features(batch.images.to(model.device))
            seen = [group_map(model, features, of).cpu().double().numpy() for of in maps]
        grids = [(values.shape[2], values.shape[3]) for values in seen]
        for place, row in enumerate(batch.ids.tolist()):
            under = {
                grid: parts_under_cells(
                    known, row, p, grid, offset=offset_of(grid) if offset is None else offset
                )
                for grid in set(grids)
            }
            yield tuple(
                MapsOnParts(values[place].reshape(values.shape[1], -1), under[grid])
                for values, grid in zip(seen, grids, strict=True)
            )
