"""Batches of P classes with K pictures each, in which every class and picture comes soon."""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
import numpy.typing as npt
from torch.utils.data import Sampler

from lookalike.errors import UsageError

Rows = npt.NDArray[np.int64]

_PLACES, _IMAGES, _ONCE, _SINGLES = range(4)  # what a random permutation is for


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
        if classes_per_batch < 1 or images_per_class < 2:
            raise UsageError(
                f"a batch needs at least 1 class and 2 images per class, got {classes_per_batch} "
                f"and {images_per_class}"
            )
        if batches_per_epoch is not None and batches_per_epoch < 1:
            raise UsageError(f"batches_per_epoch must be at least 1, got {batches_per_epoch}")
        self.classes_per_batch = classes_per_batch
        self.images_per_class = images_per_class
        self.epoch = 0
        self._labels = np.asarray(labels, np.int64)
        self._groups = groups
        self._seed = seed
        order = np.argsort(self._labels, kind="stable")
        starts = np.flatnonzero(np.diff(self._labels[order])) + 1
        classes = [rows for rows in np.split(order, starts) if len(rows)]
        self._members = [rows for rows in classes if len(rows) > 1]
        self._singles = np.array([rows[0] for rows in classes if len(rows) == 1], np.int64)
        most, singles = self._places, len(self._singles)
        if not self._members:
            raise UsageError(
                f"none of the {singles} classes has two pictures, so there are no positive pairs"
            )
        if classes_per_batch > most:
            shared = f" ({singles} single pictures share places by {images_per_class})"
            raise UsageError(
                f"{classes_per_batch} classes × {images_per_class} images per batch need "
                f"{classes_per_batch} classes, but there are {most}{shared if singles else ''}: "
                f"take a batch size of at most {most * images_per_class}"
            )
        self._per_pass = ceil(self._places / classes_per_batch)
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
                order, current = self._order(turn), turn
            start = batch * size
            places = enumerate(order[start : start + size].tolist(), start)
            rows = [self._take(place, turn, again=i >= self._places) for i, place in places]
            yield np.concatenate(rows).tolist()

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
            classes=len(self._members) + len(self._singles),
            images_seen=len(seen),
            images=len(self._labels),
            repeats=repeats,
            singles=len(self._singles),
        )

    @property
    def _places(self) -> int:
        """How many places have a turn in each pass.

        Each class with two or more pictures has a place of its own. K classes of one picture share
        a place.
        """
        return len(self._members) + ceil(len(self._singles) / self.images_per_class)

    def _order(self, turn: int) -> Rows:
        """Return the places of a pass in order, filled up to whole batches.

        Places of the previous batch are moved out of the first batch, as far as other places can
        take their turn. The last batch stays as it was shuffled, so that the next pass knows it
        without drawing any earlier pass.
        """
        size, order = self.classes_per_batch, self._shuffled(turn)
        missing = -len(order) % size
        tail = len(order) + missing - size
        filling = order[:missing].copy()
        if turn > 0:
            before = self._shuffled(turn - 1)
            just_seen = np.concatenate([before[tail:], before[:missing]])
            clash = np.flatnonzero(np.isin(order[: min(size, tail)], just_seen))
            free = size + np.flatnonzero(~np.isin(order[size:tail], just_seen))
            swaps = min(len(clash), len(free))
            here, there = clash[:swaps], free[:swaps]
            order[here], order[there] = order[there], order[here]
        return np.concatenate([order, filling])

    def _take(self, place: int, turn: int, *, again: bool) -> Rows:
        """Take the rows of one place; `again` if it had its turn in this pass already."""
        k = self.images_per_class
        if place >= len(self._members):
            start = (place - len(self._members)) * k
            return self._random(_SINGLES, turn).permutation(self._singles)[start : start + k]
        rows = self._members[place]
        if again or self._groups is not None:
            rows = self._random(_ONCE, turn, place, int(again)).permutation(rows)
            return np.resize(self._spread(rows), k)
        cycle, part = divmod(turn, ceil(len(rows) / k))
        rows = self._random(_IMAGES, cycle, place).permutation(rows)
        return rows.take(range(part * k, part * k + k), mode="wrap")

    def _random(self, *key: int) -> np.random.Generator:
        return np.random.default_rng((self._seed, *key))

    def _shuffled(self, turn: int) -> Rows:
        return self._random(_PLACES, turn).permutation(self._places)

    def _spread(self, rows: Rows) -> Rows:
        """Put one picture of each group first, then a second of each, and so on."""
        if self._groups is None:
            return rows
        taken: Counter[Hashable] = Counter()
        rounds = []
        for row in rows.tolist():
            group = self._groups[row]
            rounds.append(0 if group is None else taken[group])
            taken[group] += 1
        return rows[np.argsort(rounds, kind="stable")]
