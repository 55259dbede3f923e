"""A catalog's pictures as batches: in order for evaluation, drawn and augmented for training.

A `Job` holds all that its result depends on, so any of a loader's processes may do it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from PIL import Image
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from lookalike.data.batches.augmentation import Augmentation, Augmenter, chances
from lookalike.data.batches.pk_sampler import PKBatchSampler
from lookalike.data.catalog.catalog import Catalog
from lookalike.data.pictures.network_input import FILTERS, normalise, prepare, read_for
from lookalike.errors import ImageError
from lookalike.preprocessing import Preprocessing
from lookalike.types import Batch

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
        pixels, rows, failures = _read_all(
            job.rows, lambda row: prepare(_read(self.catalog, row, p), p)
        )
        stacked = torch.stack(pixels) if pixels else torch.empty(0, 3, p.size, p.size).byte()
        return Loaded(normalise(stacked, p), rows, failures)


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
        if row in self.kept:
            return self.kept[row]
        made = make(row)
        if made.nbytes <= self.room:
            self.kept[row] = made
            self.room -= made.nbytes
        return made


class EvaluationBatches:
    """A catalog's pictures in order, prepared for the network.

    A batch's `ids` are the numbers of its pictures in this catalog, from 0.

    Args:
        catalog: Which pictures.
        preprocessing: How they become the network's input.
        batch_size: Pictures in a batch.
        workers: Processes that read pictures; 0 reads them in this one.
        skip_bad: Leave out pictures that cannot be read instead of raising. Nothing takes their
            place, so batches can be smaller, and an empty batch is left out.

    Attributes:
        failures: What the latest iteration left out, with the row in the source.

    Raises:
        ImageError: While iterating: a picture cannot be read and `skip_bad` is False.
    """

    def __init__(
        self,
        catalog: Catalog,
        preprocessing: Preprocessing,
        *,
        batch_size: int = 64,
        workers: int = 0,
        skip_bad: bool = False,
    ) -> None:
        self.catalog = catalog
        self.skip_bad = skip_bad
        self.failures: list[ImageError] = []
        numbers = range(len(catalog))
        jobs = [Job(tuple(numbers[i : i + batch_size])) for i in numbers[::batch_size]]
        pictures = EvaluationPictures(catalog, preprocessing)
        self._loader = _loader(pictures, jobs, workers=workers, keep_workers=False)

    def __len__(self) -> int:
        return len(self._loader)

    def __iter__(self) -> Iterator[Batch]:
        self.failures = []
        yield from _batches(self, self._loader, lambda _, error: self.failures.append(error))


class TrainingBatches:
    """A catalog's pictures as a sampler draws them, augmented anew each time.

    How a picture is augmented depends on the seed, the epoch and its number in the catalog alone:
    not on the workers, and not on earlier epochs.

    Args:
        catalog: Which pictures.
        preprocessing: What the network's input is.
        augmentation: How pictures are varied.
        sampler: Which pictures make a batch; made for this catalog's labels.
        seed: Of the augmentation.
        workers: As in `EvaluationBatches`.
        cache_mib: Memory for decoded pictures at the size that the augmentation needs, all
            workers together; 0 keeps none.
        skip_bad: As in `EvaluationBatches`.

    Raises:
        ImageError: While iterating: a picture cannot be read and `skip_bad` is False.
    """

    def __init__(
        self,
        catalog: Catalog,
        preprocessing: Preprocessing,
        augmentation: Augmentation,
        sampler: PKBatchSampler,
        *,
        seed: int,
        workers: int = 0,
        cache_mib: int = 256,
        skip_bad: bool = False,
    ) -> None:
        self.catalog = catalog
        self.sampler = sampler
        self.skip_bad = skip_bad
        self._failures: dict[int, ImageError] = {}
        cache = PictureCache(cache_mib * 2**20 // max(1, workers))
        pictures = TrainingPictures(catalog, augmentation.build(preprocessing), seed, cache)
        self._start = partial(
            _loader, pictures, _SampledJobs(sampler), workers=workers, keep_workers=True
        )
        self._loader = self._start()

    @property
    def failures(self) -> list[ImageError]:
        """What was left out so far, each picture once, in the order of the catalog."""
        return [self._failures[row] for row in sorted(self._failures)]

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch that the next iteration draws, for sampler and augmentation."""
        self.sampler.set_epoch(epoch)

    def __len__(self) -> int:
        return len(self.sampler)

    def __iter__(self) -> Iterator[Batch]:
        try:
            yield from _batches(self, self._loader, self._failures.__setitem__)
        except ImageError:
            self._loader = self._start()  # ends the old workers even if the caller keeps the error
            raise


@dataclass(frozen=True)
class _SampledJobs:
    """A sampler's batches as jobs of the epoch that is set when iteration begins."""

    sampler: PKBatchSampler

    def __len__(self) -> int:
        return len(self.sampler)

    def __iter__(self) -> Iterator[Job]:
        epoch = self.sampler.epoch
        for rows in self.sampler:
            yield Job(tuple(rows), epoch)


def _batches(
    source: EvaluationBatches | TrainingBatches,
    loader: DataLoader[Loaded],
    leave_out: Callable[[int, ImageError], None],
) -> Iterator[Batch]:
    """Give what was loaded; pictures that could not be read are left out, or the first raised."""
    catalog = source.catalog
    for loaded in loader:
        for row, error in loaded.failures:
            source_row = int(catalog.rows[row])
            if not source.skip_bad:
                # Not kept in a variable: the cycle with this frame would keep workers from ending.
                raise error.at_row(source_row)
            leave_out(row, error.at_row(source_row))
        if loaded.rows:
            ids = torch.tensor(loaded.rows)
            yield Batch(loaded.images, torch.from_numpy(catalog.labels[ids.numpy()]), ids)


def _loader(
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
