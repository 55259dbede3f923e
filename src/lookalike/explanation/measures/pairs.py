"""Which pairs of a catalog an explanation is measured on, and their pictures."""

from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.data import Catalog, EvaluationBatches
from lookalike.errors import UsageError
from lookalike.preprocessing import Preprocessing

Pairs = list[tuple[int, int]]
Rows = npt.NDArray[np.int64]


def same_class_pairs(catalog: Catalog, count: int, *, seed: int) -> Pairs:
    """Draw pairs of two pictures of one class, as rows of the catalog.

    The first of a pair is its query. Every picture that has a partner is the query of one pair
    before any is that of a second, with a partner drawn from its class each time; two pictures make
    one pair at most.

    Args:
        catalog: Where from.
        count: How many, at least 1; all there are where they are fewer.
        seed: Of the draw: the same catalog, count and seed give the same pairs.

    Raises:
        UsageError: No class has two pictures, or the count is below 1.
    """
    members = {int(code): np.flatnonzero(catalog.labels == code) for code in catalog.classes}
    pairs = _draw(len(catalog), lambda row: members[int(catalog.labels[row])], count, seed)
    if not pairs:
        raise UsageError(f"{catalog.root}: no class has two pictures, so there are no same pairs")
    return pairs


def different_class_pairs(catalog: Catalog, count: int, *, seed: int) -> Pairs:
    """Draw pairs of two pictures of different classes; otherwise as `same_class_pairs`.

    Raises:
        UsageError: There is one class only, or the count is below 1.
    """
    labels = catalog.labels
    pairs = _draw(len(catalog), lambda row: np.flatnonzero(labels != labels[row]), count, seed)
    if not pairs:
        raise UsageError(f"{catalog.root}: all pictures are of one class, so none are different")
    return pairs


def _draw(pictures: int, partners: Callable[[int], Rows], count: int, seed: int) -> Pairs:
    """Go round the pictures, in a new order each time, until there are enough pairs."""
    if count < 1:
        raise UsageError(f"{count} pairs: ask for at least one")
    random = np.random.default_rng(seed)
    met: defaultdict[int, set[int]] = defaultdict(set)
    pairs: Pairs = []
    found = True
    while found and len(pairs) < count:
        found = False
        for row in random.permutation(pictures).tolist():
            free = np.setdiff1d(partners(row), [row, *met[row]])
            if len(free) == 0:
                continue
            other = int(random.choice(free))
            met[row].add(other)
            met[other].add(row)
            pairs.append((row, other))
            found = True
            if len(pairs) == count:
                break
    return pairs


def read_pairs(
    catalog: Catalog,
    pairs: Sequence[tuple[int, int]],
    preprocessing: Preprocessing,
    *,
    batch_size: int = 64,
) -> tuple[Float[Tensor, "n 3 s s"], Float[Tensor, "n 3 s s"]]:
    """Read the pictures of pairs as the network's input; each file is read once.

    Args:
        catalog: Whose rows.
        pairs: At least one.
        preprocessing: How pictures are prepared.
        batch_size: How many are read at once.

    Returns:
        The first pictures and the second ones, on the CPU, all in memory.

    Raises:
        ImageError: A picture cannot be read; it is named.
    """
    rows, places = np.unique(np.array(pairs), return_inverse=True)
    batches = EvaluationBatches(catalog.subset(rows), preprocessing, batch_size=batch_size)
    images = torch.cat([batch.images for batch in batches])
    first, second = torch.from_numpy(places.reshape(-1, 2)).T
    return images[first], images[second]
