"""What a group is about: how much its place in the picture tells of the parts that are known."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
import torch
from jaxtyping import Float, Int64
from torch import Tensor

from lookalike.data import Catalog
from lookalike.data.loading import EvaluationBatches
from lookalike.data.parts import PARTS, read_masks
from lookalike.model import Model, evaluating
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
            counts[group, _part_at_peak(values.numpy(), masks, geometry)] += 1
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


@torch.no_grad()
def _maps(
    model: Model, catalog: Catalog, of: Of, batch_size: int
) -> Sequence[Float[Tensor, "g h w"]]:
    maps: list[Tensor] = []
    with evaluating(model):
        for batch in EvaluationBatches(catalog, model.preprocessing, batch_size=batch_size):
            features = model.features(batch.images.to(model.device))
            if of == "attention":
                maps += model.head.attention(features).cpu().unbind()
                continue
            tokens = model.head.tokens(features)
            (grid,) = tokens.grids
            maps += tokens.levels[0].norm(dim=-1).unflatten(2, grid).cpu().unbind()
    return maps


def _part_at_peak(
    values: npt.NDArray[np.floating], masks: dict[str, npt.NDArray[np.bool_]], geometry: Geometry
) -> int:
    """Return the number of the part in the middle of the largest value's cell."""
    row, column = np.unravel_index(int(values.argmax()), values.shape)
    left, top, right, bottom = geometry.cell(int(row), int(column), values.shape)
    x, y = int((left + right) / 2), int((top + bottom) / 2)
    inside = 0 <= x < geometry.width and 0 <= y < geometry.height
    here = [i for i, part in enumerate(PARTS) if inside and masks[part][y, x]]
    return here[0] if here else len(PARTS)
