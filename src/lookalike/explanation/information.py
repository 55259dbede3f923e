"""What a group is about: how much its place in the picture tells of the parts that are known."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from jaxtyping import Float, Int64
from torch import Tensor

from lookalike.data import Catalog
from lookalike.data.loading import EvaluationBatches
from lookalike.data.parts import PARTS, Masks, read_masks
from lookalike.explanation.gallery import peak_cell
from lookalike.explanation.map_kinds import token_lengths
from lookalike.model import Model, evaluating
from lookalike.preprocessing import Geometry


@dataclass(frozen=True, slots=True, eq=False)
class PartCounts:
    """On which part each group's maps peak, in how many pictures; the last column is the ground.

    Args:
        attention: By the map of where the head says that the group looks.
        tokens: By the length of what each position adds to the group's vector.
    """

    attention: Int64[np.ndarray, "g parts"]
    tokens: Int64[np.ndarray, "g parts"]


@torch.no_grad()
def part_counts(model: Model, catalog: Catalog, *, batch_size: int = 128) -> PartCounts:
    """Count, for each group, on which part its maps peak.

    Every picture goes through the backbone once, and its masks are read once.

    Args:
        model: Whose groups.
        catalog: Pictures that `lookalike.data.write_parts` has drawn, with their masks.
        batch_size: How many go through the network at once.
    """
    shape = (model.head.groups, len(PARTS) + 1)
    attention, tokens = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    with evaluating(model):
        for batch in EvaluationBatches(catalog, model.preprocessing, batch_size=batch_size):
            features = model.features(batch.images.to(model.device))
            looks, lengths = model.head.attention(features), token_lengths(model, features)
            for row, of_attention, of_tokens in zip(
                batch.ids.tolist(), looks.cpu(), lengths.cpu(), strict=True
            ):
                masks = read_masks(catalog.path(row))
                height, width = masks[PARTS[0]].shape
                geometry = model.preprocessing.geometry(width, height)
                _count(attention, of_attention, masks, geometry)
                _count(tokens, of_tokens, masks, geometry)
    return PartCounts(attention, tokens)


def _count(
    counts: Int64[np.ndarray, "g parts"],
    maps: Float[Tensor, "g rows columns"],
    masks: Masks,
    geometry: Geometry,
) -> None:
    """Add one picture to the counts."""
    for group, values in enumerate(maps):
        counts[group, _part_at_peak(values.double().numpy(), masks, geometry)] += 1


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


def _part_at_peak(values: npt.NDArray[np.float64], masks: Masks, geometry: Geometry) -> int:
    """Return the number of the part in the middle of the largest value's cell."""
    height, width = values.shape
    left, top, right, bottom = geometry.cell(*peak_cell(values), (height, width))
    x, y = int((left + right) / 2), int((top + bottom) / 2)
    inside = 0 <= x < geometry.width and 0 <= y < geometry.height
    here = [i for i, part in enumerate(PARTS) if inside and masks[part][y, x]]
    return here[0] if here else len(PARTS)
