"""The pictures with the highest peak of each group's map (Xu et al. 2020, figures 3 and 4)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.data import Catalog, EvaluationBatches
from lookalike.errors import UsageError
from lookalike.explanation.groups.maps import group_maps
from lookalike.model import Model
from lookalike.progress import Progress


@dataclass(frozen=True, slots=True, eq=False)
class Peak:
    """One of the pictures in which a group's map has its highest peaks.

    Args:
        row: The picture's number in the catalog.
        map: Where the group looks, height × width; sums to one.
    """

    row: int
    map: npt.NDArray[np.float64]

    @property
    def weight(self) -> float:
        """The largest share that a cell of the map has, in [0, 1]."""
        return float(self.map.max())

    @property
    def cell(self) -> tuple[int, int]:
        """Row and column of that cell."""
        return peak_cell(self.map)


def peak_cell(values: npt.NDArray[np.float64]) -> tuple[int, int]:
    """Return the row and column of a map's largest value, the first of equal ones.

    >>> peak_cell(np.array([[0.1, 0.2], [0.4, 0.3]]))
    (1, 0)
    """
    row, column = np.unravel_index(int(values.argmax()), values.shape)
    return int(row), int(column)


def strongest(
    model: Model,
    catalog: Catalog,
    *,
    count: int = 12,
    per_class: int | None = 1,
    groups: Sequence[int] | None = None,
    batch_size: int = 64,
    progress: Progress | None = None,
) -> tuple[tuple[Peak, ...], ...]:
    """Return for each group the pictures in which the peak of its map is highest.

    All pictures are embedded once for the peaks, and the chosen ones once more for their maps. So
    memory does not grow with the size of the maps.

    Args:
        model: Whose groups.
        catalog: Where to look.
        count: Pictures a group.
        per_class: At most so many pictures of one class for each group; None sets no limit, as in
            the paper.
        groups: Only these, in this order; None is all of them.
        batch_size: How many go through the network at once.
        progress: Told how many pictures are done, of how many.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: The catalog is empty.
    """
    if not len(catalog):
        raise UsageError(f"{catalog.root}: there are no pictures to look through")
    seen = catalog_maps(model, catalog, groups=groups, batch_size=batch_size, progress=progress)
    peaks = torch.cat([maps.amax(dim=(2, 3)) for maps in seen])
    chosen = [
        _highest(peaks[:, g], catalog, count=count, per_class=per_class)
        for g in range(peaks.shape[1])
    ]
    rows = sorted({row for group in chosen for row in group})
    seen = catalog_maps(model, catalog.subset(rows), groups=groups, batch_size=batch_size)
    again = torch.cat(list(seen))
    place = {row: i for i, row in enumerate(rows)}
    return tuple(
        tuple(Peak(row, again[place[row], g].double().numpy()) for row in group)
        for g, group in enumerate(chosen)
    )


def catalog_maps(
    model: Model,
    catalog: Catalog,
    *,
    groups: Sequence[int] | None = None,
    batch_size: int = 64,
    progress: Progress | None = None,
) -> Iterator[Float[Tensor, "n g h w"]]:
    """Yield where each group looks, batch by batch; arguments as of `strongest`."""
    for batch in EvaluationBatches(catalog, model.preprocessing, batch_size=batch_size):
        yield group_maps(model, batch.images, groups=groups)[0]
        if progress is not None:
            progress(int(batch.ids[-1]) + 1, len(catalog))


def _highest(
    peaks: Float[Tensor, " n"], catalog: Catalog, *, count: int, per_class: int | None
) -> list[int]:
    taken: Counter[int] = Counter()
    rows: list[int] = []
    for row in peaks.argsort(descending=True, stable=True).tolist():
        label = int(catalog.labels[row])
        if per_class is None or taken[label] < per_class:
            taken[label] += 1
            rows.append(row)
        if len(rows) == count:
            break
    return rows
