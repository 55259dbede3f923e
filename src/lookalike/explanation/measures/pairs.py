"""The pairs of a catalog that explanations are measured on, and their pictures."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.data import Catalog, EvaluationBatches
from lookalike.errors import UsageError
from lookalike.preprocessing import Preprocessing

Pairs = list[tuple[int, int]]


def same_class_pairs(catalog: Catalog, count: int, *, seed: int) -> Pairs:
    """Draw pairs of two pictures of one class, as rows of the catalog.

    The first of a pair is its query. Every picture that has a partner is the query of one pair
    before any is the query of a second one. Partners are drawn from the class at random; no two
    pictures are in more than one pair together.

    Args:
        catalog: Where pairs are drawn from.
        count: How many, at least 1; all there are where they are fewer.
        seed: Of the draw: the same catalog, count and seed give the same pairs.

    Raises:
        UsageError: No class has two pictures, or the count is below 1.
    """
    if count < 1:
        raise UsageError(f"{count} pairs: ask for at least one")
    members = {int(code): np.flatnonzero(catalog.labels == code) for code in catalog.classes}
    random = np.random.default_rng(seed)
    met: defaultdict[int, set[int]] = defaultdict(set)
    pairs: Pairs = []
    found = True
    while found and len(pairs) < count:
        found = False
        for row in random.permutation(len(catalog)).tolist():
            free = np.setdiff1d(members[int(catalog.labels[row])], [row, *met[row]])
            if len(free) == 0:
                continue
            other = int(random.choice(free))
            met[row].add(other)
            met[other].add(row)
            pairs.append((row, other))
            found = True
            if len(pairs) == count:
                break
    if not pairs:
        raise UsageError(f"{catalog.root}: no class has two pictures, so there are no same pairs")
    return pairs


@dataclass(frozen=True, slots=True, eq=False)
class PairedPictures:
    """Pairs of pictures as the network's input, all in memory, on the CPU.

    Args:
        rows: Of the catalog; the first of a pair is its query.
        a: The first pictures, normalised pixels.
        b: The second ones.
    """

    rows: tuple[tuple[int, int], ...]
    a: Float[Tensor, "n 3 s s"]
    b: Float[Tensor, "n 3 s s"]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def clusters(self) -> list[int]:
        """The query picture of each pair: pairs of one query are not independent."""
        return [query for query, _ in self.rows]

    @staticmethod
    def read(
        catalog: Catalog,
        rows: Sequence[tuple[int, int]],
        preprocessing: Preprocessing,
        *,
        batch_size: int = 64,
    ) -> "PairedPictures":
        """Read the pictures of pairs; each file is read once.

        Args:
            catalog: Whose rows.
            rows: At least one pair.
            preprocessing: How pictures are prepared.
            batch_size: How many are read at once.

        Raises:
            ImageError: A picture cannot be read; it is named.
        """
        distinct, places = np.unique(np.array(rows), return_inverse=True)
        batches = EvaluationBatches(catalog.subset(distinct), preprocessing, batch_size=batch_size)
        images = torch.cat([batch.images for batch in batches])
        first, second = torch.from_numpy(places.reshape(-1, 2)).T
        return PairedPictures(tuple(rows), images[first], images[second])
