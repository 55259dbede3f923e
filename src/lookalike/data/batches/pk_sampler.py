"""Batches of P classes with K pictures each, in which every class and picture comes soon."""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
import numpy.typing as npt
from torch.utils.data import Sampler

from lookalike.data.batches.pk_permutations import PKPermutations
from lookalike.errors import UsageError


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the batches of one epoch show.

    Args:
        epoch: Which epoch.
        batches: How many batches.
        classes_seen: Classes with a picture in a batch.
        classes: All classes.
        images_seen: Different pictures in a batch.
        images: All pictures.
        repeats: How often a batch has a picture again, since its class has fewer than K.
        singles: Classes of one picture, which are negatives only.
    """

    epoch: int
    batches: int
    classes_seen: int
    classes: int
    images_seen: int
    images: int
    repeats: int
    singles: int

    def __str__(self) -> str:
        return (
            f"epoch {self.epoch}: {self.batches} batches, {self.classes_seen} of {self.classes} "
            f"classes, {self.images_seen} of {self.images} pictures, {self.repeats} repeated "
            f"within a batch, {self.singles} classes of one picture (negatives only)"
        )


class PKBatchSampler(Sampler[list[int]]):
    """Draw P classes × K pictures for every batch.

    - Classes come in passes. Each pass is a permutation of all classes, so every class comes
      before any comes again. The last batch of a pass is filled up with other classes of the
      pass. The first batch of the next pass avoids the classes of the batch before, as far as
      there are others.
    - A class gives its pictures in the order of a permutation too, K at a time. Only a class with
      fewer than K pictures repeats some, and as few as possible.
    - With `groups`, the K pictures of a class come from as many different groups as possible.
    - Classes of one picture have no positives. K of them share the place of one class. Only then
      can a batch have fewer than P × K pictures.
    - A batch depends on the seed and its number alone, so an epoch can be drawn without the
      epochs before.

    Args:
        labels: Class of each picture.
        classes_per_batch: P.
        images_per_class: K, at least 2.
        seed: Of all permutations.
        groups: What pictures of a class may share, e.g. a seller or a session; None where unknown.
        batches_per_epoch: If None, the number of whole passes over the classes that comes closest
            to seeing every picture once. With another number a pass may go on in the next epoch.

    Raises:
        UsageError: There are too few classes, or none with two pictures.

    >>> labels = [0, 0, 1, 1, 2, 2]
    >>> sampler = PKBatchSampler(labels, classes_per_batch=2, images_per_class=2, seed=0)
    >>> [len(batch) for batch in sampler]
    [4, 4]
    >>> print(sampler.coverage())
    epoch 0: 2 batches, 3 of 3 classes, 6 of 6 pictures, 0 repeated within a batch, 0 classes of \
one picture (negatives only)
    """

    def __init__(
        self,
        labels: Sequence[int] | npt.NDArray[np.int64],
        *,
        classes_per_batch: int,
        images_per_class: int,
        seed: int,
        groups: Sequence[Hashable] | None = None,
        batches_per_epoch: int | None = None,
    ) -> None:
        self.classes_per_batch = classes_per_batch
        self.images_per_class = images_per_class
        self.epoch = 0
        self._labels = np.asarray(labels, np.int64)
        _check_sizes(classes_per_batch, images_per_class, batches_per_epoch)
        self._permutations = PKPermutations.of(
            self._labels, groups, images_per_class=images_per_class, seed=seed
        )
        self._check_classes()
        self._per_pass = ceil(self._permutations.places / classes_per_batch)
        per_batch = classes_per_batch * images_per_class
        passes = max(1, round(len(self._labels) / (self._per_pass * per_batch)))
        self._batches = batches_per_epoch or passes * self._per_pass

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch that the next iteration draws."""
        self.epoch = epoch

    def __len__(self) -> int:
        return self._batches

    def __iter__(self) -> Iterator[list[int]]:
        first, size = self.epoch * self._batches, self.classes_per_batch
        order, current = np.empty(0, np.int64), -1
        for number in range(first, first + self._batches):
            turn, batch = divmod(number, self._per_pass)
            if turn != current:
                order, current = self._permutations.order(turn, size), turn
            start = batch * size
            yield [
                row
                for i, place in enumerate(order[start : start + size].tolist(), start)
                for row in self._permutations.take(
                    place, turn, again=i >= self._permutations.places
                )
            ]

    def coverage(self) -> Coverage:
        """Draw the current epoch and count what it sees."""
        seen: set[int] = set()
        repeats = 0
        for batch in self:
            counts = Counter(batch)
            repeats += len(batch) - len(counts)
            seen.update(counts)
        return Coverage(
            epoch=self.epoch,
            batches=len(self),
            classes_seen=len(np.unique(self._labels[sorted(seen)])),
            classes=len(self._permutations.members) + len(self._permutations.singles),
            images_seen=len(seen),
            images=len(self._labels),
            repeats=repeats,
            singles=len(self._permutations.singles),
        )

    def _check_classes(self) -> None:
        p, k, most = self.classes_per_batch, self.images_per_class, self._permutations.places
        singles = len(self._permutations.singles)
        if not self._permutations.members:
            raise UsageError(
                f"none of the {singles} classes has two pictures, so there are no positive pairs"
            )
        if p > most:
            shared = f" ({singles} single pictures share places by {k})" if singles else ""
            raise UsageError(
                f"{p} classes × {k} images per batch need {p} classes, but there are {most}"
                f"{shared}: take a batch size of at most {most * k}"
            )


def _check_sizes(classes: int, images: int, batches: int | None) -> None:
    if classes < 1 or images < 2:
        raise UsageError(
            f"a batch needs at least 1 class and 2 images per class, got {classes} and {images}"
        )
    if batches is not None and batches < 1:
        raise UsageError(f"batches_per_epoch must be at least 1, got {batches}")
