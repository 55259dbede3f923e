"""Where each group looks hardest: its highest peaks (Xu et al. 2020, figures 3 and 4)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.data import Catalog
from lookalike.data.loading import EvaluationBatches
from lookalike.model import Model, evaluating


@dataclass(frozen=True, slots=True)
class Peak:
    """One picture in which a group looks hard at one place.

    Args:
        row: The picture's row in the catalog.
        weight: The largest weight of its map, in [0, 1].
        map: How much the group takes from each position, height × width; sums to one.
    """

    row: int
    weight: float
    map: npt.NDArray[np.float64]


def strongest(
    model: Model, catalog: Catalog, *, count: int = 12, batch_size: int = 128
) -> tuple[tuple[Peak, ...], ...]:
    """Return for each group the pictures in which the peak of its attention is highest.

    Of each class only the best picture is shown, so that a group's row is not one class over and
    over.

    Args:
        model: Whose groups.
        catalog: Where to look.
        count: Pictures a group.
        batch_size: How many go through the network at once.
    """
    maps = attention_maps(model, catalog, batch_size=batch_size)
    peaks = maps.amax(dim=(2, 3))
    found = []
    for group in range(maps.shape[1]):
        best: dict[int, Peak] = {}
        for row in peaks[:, group].argsort(descending=True, stable=True).tolist():
            label = int(catalog.labels[row])
            if label not in best:
                values = maps[row, group].double().numpy()
                best[label] = Peak(row, float(peaks[row, group]), values)
            if len(best) == count:
                break
        found.append(tuple(best.values()))
    return tuple(found)


@torch.no_grad()
def attention_maps(
    model: Model, catalog: Catalog, *, batch_size: int = 128
) -> Float[Tensor, "n g h w"]:
    """Return how much each group takes from each position, for every picture of a catalog."""
    maps = []
    with evaluating(model):
        for batch in EvaluationBatches(catalog, model.preprocessing, batch_size=batch_size):
            features = model.features(batch.images.to(model.device))
            maps.append(model.head.attention(features).cpu())
    return torch.cat(maps)
