"""What a loader's processes do: read a catalog's pictures, and say which could not be read.

A `Job` holds all that its result depends on, so any process may do it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from PIL import Image
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from lookalike.data.batches.augmentation import Augmenter
from lookalike.data.batches.augmentation_maths import chances
from lookalike.data.catalog.catalog import Catalog
from lookalike.data.pictures.network_input import FILTERS, normalise, prepare, read_for
from lookalike.errors import ImageError
from lookalike.preprocessing import Preprocessing

T = TypeVar("T")
Pixels = npt.NDArray[np.uint8]
Failures = tuple[tuple[int, ImageError], ...]


class Job(NamedTuple):
    """Which pictures of the catalog to read, and for which epoch."""

    rows: tuple[int, ...]
    epoch: int = 0


class Loaded(NamedTuple):
    """A job's result: the pictures that could be read, and why others could not."""

    images: Tensor
    rows: tuple[int, ...]
    failures: Failures


@dataclass(frozen=True)
class EvaluationPictures(Dataset[Loaded]):
    """Pictures as evaluation sees them."""

    catalog: Catalog
    preprocessing: Preprocessing

    def __getitem__(self, job: Job) -> Loaded:
        p = self.preprocessing
        pixels, rows, failures = _read_all(job.rows, self._pixels)
        stacked = torch.stack(pixels) if pixels else torch.empty(0, 3, p.size, p.size).byte()
        return Loaded(normalise(stacked, p), rows, failures)

    def _pixels(self, row: int) -> Tensor:
        return prepare(_read(self.catalog, row, self.preprocessing), self.preprocessing)


@dataclass(frozen=True)
class TrainingPictures(Dataset[Loaded]):
    """Pictures as training sees them: cached where there is room, augmented each time."""

    catalog: Catalog
    augmenter: Augmenter
    seed: int
    cache: "PictureCache"

    def __getitem__(self, job: Job) -> Loaded:
        found, rows, failures = _read_all(job.rows, lambda row: self.cache.get(row, self._source))
        if not found:
            size = self.augmenter.preprocessing.size
            return Loaded(torch.empty(0, 3, size, size), rows, failures)
        chance = chances(rows, seed=self.seed, epoch=job.epoch)
        if not self.augmenter.fixed:
            cut = self.augmenter.cut
            found = [cut(Image.fromarray(a), c) for a, c in zip(found, chance, strict=True)]
        return Loaded(self.augmenter(np.stack(found), chance), rows, failures)

    def _source(self, row: int) -> Pixels:
        """Do the part of the work that gives the same result every time."""
        p, side = self.augmenter.preprocessing, self.augmenter.keep_side
        picture = _read(self.catalog, row, p, side=side)
        if self.augmenter.fixed:
            return prepare(picture, p).numpy()
        shrink = side / min(picture.size)
        if shrink < 1:
            size = (round(picture.width * shrink), round(picture.height * shrink))
            picture = picture.resize(size, FILTERS[p.interpolation])
        return np.asarray(picture)


@dataclass
class PictureCache:
    """Arrays by row, as long as there is room; the others are made again each time.

    Args:
        room: Bytes that are left.
    """

    room: int
    kept: dict[int, Pixels] = field(default_factory=dict)

    def get(self, row: int, make: Callable[[int], Pixels]) -> Pixels:
        """Return what `make` gives for the row, from the cache if it is there."""
        found = self.kept.get(row)
        if found is None:
            found = make(row)
            if found.nbytes <= self.room:
                self.kept[row] = found
                self.room -= found.nbytes
        return found


def loader(
    dataset: Dataset[Loaded], jobs: Iterable[Job], *, workers: int, keep_workers: bool
) -> DataLoader[Loaded]:
    """Do the jobs in order, here or in other processes, which may stay for the next round."""
    return DataLoader(
        dataset,
        sampler=jobs,
        batch_size=None,
        collate_fn=_unchanged,
        num_workers=workers,
        persistent_workers=keep_workers and workers > 0,
        pin_memory=workers > 0 and torch.cuda.is_available(),
        generator=torch.Generator(),  # without it the loader draws from the global one
    )


def _unchanged(loaded: object) -> object:
    return loaded


def _read(
    catalog: Catalog, row: int, preprocessing: Preprocessing, *, side: int | None = None
) -> Image.Image:
    box = catalog.box(row) if preprocessing.use_boxes else None
    return read_for(catalog.path(row), preprocessing, box=box, side=side)


def _read_all(
    rows: Sequence[int], read: Callable[[int], T]
) -> tuple[list[T], tuple[int, ...], Failures]:
    results: list[T] = []
    good: list[int] = []
    failures: list[tuple[int, ImageError]] = []
    for row in rows:
        try:
            results.append(read(row))
            good.append(row)
        except ImageError as error:
            failures.append((row, error))
    return results, tuple(good), tuple(failures)
