"""What a group is about: how much its place in the picture tells of the parts that are known."""

from collections.abc import Iterator
from typing import Literal

import numpy as np
import numpy.typing as npt
from jaxtyping import Float, Int64
from torch import Tensor

from lookalike.data import Catalog
from lookalike.data.loading import EvaluationBatches
from lookalike.data.parts import PARTS, Masks, read_masks
from lookalike.explanation.gallery import peak_cell
from lookalike.explanation.map_kinds import ATTENTION, LENGTH, group_maps
from lookalike.model import Model
from lookalike.preprocessing import Geometry

Of = Literal["attention", "tokens"]


def part_counts(
    model: Model, catalog: Catalog, *, of: Of = "attention", batch_size: int = 128
) -> Int64[np.ndarray, "g parts"]:
    """Count, for each group, on which part its map peaks; the last column is the background.

    Args:
        model: Whose groups.
        catalog: Pictures that `lookalike.data.write_parts` has drawn, with their masks.
        of: The map: "attention" is where the head says that the group looks, "tokens" the length
            of what each position adds to the group's vector.
        batch_size: How many go through the network at once.
    """
    counts = np.zeros((model.head.groups, len(PARTS) + 1), np.int64)
    for row, maps in enumerate(_maps(model, catalog, of, batch_size)):
        masks = read_masks(catalog.path(row))
        height, width = masks[PARTS[0]].shape
        geometry = model.preprocessing.geometry(width, height)
        for group, values in enumerate(maps):
            counts[group, _part_at_peak(values.double().numpy(), masks, geometry)] += 1
    return counts


def mutual_information(counts: npt.ArrayLike) -> float:
    """Return the mutual information of rows and columns of a table of counts, in bits.

    >>> mutual_information([[10, 0], [0, 10]]), mutual_information([[5, 5], [5, 5]])
    (1.0, 0.0)
    """
    joint = np.asarray(counts, np.float64)
    joint = joint / max(joint.sum(), 1.0)
    apart = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
    seen = joint > 0
    return float((joint[seen] * np.log2(joint[seen] / apart[seen])).sum())


def _maps(
    model: Model, catalog: Catalog, of: Of, batch_size: int
) -> Iterator[Float[Tensor, "g h w"]]:
    """Give each picture's maps, in the order of the catalog."""
    kind = LENGTH if of == "tokens" else ATTENTION
    for batch in EvaluationBatches(catalog, model.preprocessing, batch_size=batch_size):
        yield from group_maps(model, batch.images, kind=kind)[0]


def _part_at_peak(values: npt.NDArray[np.float64], masks: Masks, geometry: Geometry) -> int:
    """Return the number of the part in the middle of the largest value's cell."""
    height, width = values.shape
    left, top, right, bottom = geometry.cell(*peak_cell(values), (height, width))
    x, y = int((left + right) / 2), int((top + bottom) / 2)
    inside = 0 <= x < geometry.width and 0 <= y < geometry.height
    here = [i for i, part in enumerate(PARTS) if inside and masks[part][y, x]]
    return here[0] if here else len(PARTS)
