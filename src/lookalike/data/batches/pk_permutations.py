"""The permutations behind a P×K sampler; each depends on a seed and a number alone.

A batch has P places. Each class with two or more pictures has a place of its own. K classes of one
picture share a place. In a pass each place has one turn.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.int64]

_PLACES, _IMAGES, _ONCE, _SINGLES = range(4)  # what a random permutation is for


@dataclass(frozen=True, slots=True)
class PKPermutations:
    """In which order places have their turn, and which pictures each place gives.

    Args:
        members: The rows of each class that has two or more.
        singles: The rows of classes of one picture.
        groups: What pictures of a class may share; None where unknown, or for all.
        images_per_class: K.
        seed: Of all permutations.
    """

    members: tuple[Rows, ...]
    singles: Rows
    groups: Sequence[Hashable] | None
    images_per_class: int
    seed: int

    @staticmethod
    def of(
        labels: Rows, groups: Sequence[Hashable] | None, *, images_per_class: int, seed: int
    ) -> "PKPermutations":
        """Sort rows into classes."""
        order = np.argsort(labels, kind="stable")
        starts = np.flatnonzero(np.diff(labels[order])) + 1
        classes = [rows for rows in np.split(order, starts) if len(rows)]
        members = tuple(rows for rows in classes if len(rows) > 1)
        singles = np.array([rows[0] for rows in classes if len(rows) == 1], np.int64)
        return PKPermutations(members, singles, groups, images_per_class, seed)

    @property
    def places(self) -> int:
        """How many places have a turn in each pass."""
        return len(self.members) + ceil(len(self.singles) / self.images_per_class)

    def order(self, turn: int, size: int) -> Rows:
        """Return the places of a pass in order, filled up to whole batches of `size` places.

        Places of the previous batch are moved out of the first batch, as far as other places can
        take their turn. The last batch stays as it was shuffled, so that the next pass knows it
        without drawing any earlier pass.
        """
        order = self._shuffled(turn)
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

    def take(self, place: int, turn: int, *, again: bool) -> list[int]:
        """Take the rows of one place; `again` if it had its turn in this pass already."""
        k = self.images_per_class
        if place >= len(self.members):
            start = (place - len(self.members)) * k
            taken = self._random(_SINGLES, turn).permutation(self.singles)[start : start + k]
        elif again or self.groups is not None:
            rows = self._random(_ONCE, turn, place, int(again)).permutation(self.members[place])
            taken = np.resize(self._spread(rows), k)
        else:
            rows = self.members[place]
            cycle, part = divmod(turn, ceil(len(rows) / k))
            rows = self._random(_IMAGES, cycle, place).permutation(rows)
            taken = rows.take(range(part * k, part * k + k), mode="wrap")
        numbers: list[int] = taken.tolist()
        return numbers

    def _random(self, *key: int) -> np.random.Generator:
        return np.random.default_rng((self.seed, *key))

    def _shuffled(self, turn: int) -> Rows:
        return self._random(_PLACES, turn).permutation(self.places)

    def _spread(self, rows: Rows) -> Rows:
        """Put one picture of each group first, then a second of each, and so on."""
        if self.groups is None:
            return rows
        taken: Counter[Hashable] = Counter()
        rounds = []
        for row in rows.tolist():
            group = self.groups[row]
            rounds.append(0 if group is None else taken[group])
            taken[group] += 1
        return rows[np.argsort(rounds, kind="stable")]
