"""A catalog's pictures as batches: in order for evaluation, drawn and augmented for training."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import torch

from lookalike.data.batches.augmentation import Augmentation
from lookalike.data.batches.picture_loader import (
    EvaluationPictures,
    Failures,
    Job,
    Loaded,
    PictureCache,
    TrainingPictures,
    loader,
)
from lookalike.data.batches.pk_sampler import PKBatchSampler
from lookalike.data.catalog.catalog import Catalog
from lookalike.errors import ImageError
from lookalike.preprocessing import Preprocessing
from lookalike.types import Batch


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
        self._loader = loader(pictures, jobs, workers=workers, keep_workers=False)

    def __len__(self) -> int:
        return len(self._loader)

    def __iter__(self) -> Iterator[Batch]:
        self.failures = []
        for loaded in self._loader:
            self.failures += _with_rows(self.catalog, loaded.failures, skip_bad=self.skip_bad)
            if loaded.rows:
                yield _batch(self.catalog, loaded)


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
            loader, pictures, _SampledJobs(sampler), workers=workers, keep_workers=True
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
            for loaded in self._loader:
                errors = _with_rows(self.catalog, loaded.failures, skip_bad=self.skip_bad)
                for (row, _), error in zip(loaded.failures, errors, strict=True):
                    self._failures[row] = error
                if loaded.rows:
                    yield _batch(self.catalog, loaded)
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


def _with_rows(catalog: Catalog, failures: Failures, *, skip_bad: bool) -> list[ImageError]:
    """Add the catalog's rows to the errors; raise the first one if bad pictures are not skipped."""
    errors = []
    for row, error in failures:
        source_row = int(catalog.rows[row])
        if not skip_bad:
            # Not kept in a variable: the cycle with this frame would keep workers from ending.
            raise error.at_row(source_row)
        errors.append(error.at_row(source_row))
    return errors


def _batch(catalog: Catalog, loaded: Loaded) -> Batch:
    ids = torch.tensor(loaded.rows)
    return Batch(loaded.images, torch.from_numpy(catalog.labels[ids.numpy()]), ids)
