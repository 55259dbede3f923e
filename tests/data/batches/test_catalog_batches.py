import pickle

import numpy as np
import pytest
import torch
from PIL import Image

from lookalike.data.batches.augmentation import Augmentation
from lookalike.data.batches.catalog_batches import (
    EvaluationBatches,
    EvaluationPictures,
    Job,
    PictureCache,
    TrainingBatches,
    TrainingPictures,
)
from lookalike.data.batches.pk_sampler import PKBatchSampler
from lookalike.data.catalog.catalog import Catalog
from lookalike.data.pictures.decode import decode
from lookalike.data.pictures.network_input import normalise, prepare
from lookalike.errors import ImageError
from lookalike.preprocessing import Preprocessing

P = Preprocessing(size=16)
BOXED = Preprocessing(size=16, use_boxes=True)
VARIED = Augmentation(
    crop="none", degrees=20, translate=0.1, scale=(0.8, 1.2), brightness=0.3, contrast=0.3,
    saturation=0.3, erase=0.5,
)  # fmt: skip
CUT = Augmentation(crop="resized", crop_area=(0.3, 1.0), brightness=0.2)
BAD = 5


@pytest.fixture(scope="module")
def catalog(tmp_path_factory):
    """12 pictures of 4 classes, of different shapes; rows are numbered from 100."""
    root = tmp_path_factory.mktemp("pictures")
    rng = np.random.default_rng(0)
    for i in range(12):
        pixels = rng.integers(0, 256, (24 + i, 40 - i, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(root / f"{i}.png")
    boxes = np.full((12, 4), np.nan)
    boxes[3] = (2.0, 4.0, 18.0, 20.0)
    return Catalog(
        root=root,
        paths=tuple(f"{i}.png" for i in range(12)),
        labels=np.arange(12) % 4,
        class_names=("a", "b", "c", "d"),
        boxes=boxes,
        rows=np.arange(100, 112),
    )


@pytest.fixture(scope="module")
def spoilt(catalog):
    """The same, but picture BAD cannot be read."""
    (catalog.root / "bad.png").write_text("no picture")
    paths = [*catalog.paths[:BAD], "bad.png", *catalog.paths[BAD + 1 :]]
    return Catalog(catalog.root, tuple(paths), catalog.labels, catalog.class_names)


def sampler_of(catalog, *, p=2, k=3, seed=0):
    return PKBatchSampler(catalog.labels, classes_per_batch=p, images_per_class=k, seed=seed)


def training(catalog, *, preprocessing=P, augmentation=VARIED, **options):
    return TrainingBatches(
        catalog, preprocessing, augmentation, sampler_of(catalog), seed=7, **options
    )


def by_draw(batches, epochs=(0, 1)):
    """Everything that comes, in order."""
    drawn = []
    for epoch in epochs:
        batches.set_epoch(epoch)
        drawn += [(epoch, batch.ids, batch.labels, batch.images) for batch in batches]
    return drawn


def same(a, b):
    assert len(a) == len(b) > 0
    for x, y in zip(a, b, strict=True):
        assert x[0] == y[0]
        assert all(torch.equal(s, t) for s, t in zip(x[1:], y[1:], strict=True))


@pytest.mark.parametrize("workers", [0, 2])
def test_evaluation_is_in_order_and_prepared(catalog, workers):
    batches = EvaluationBatches(catalog, P, batch_size=5, workers=workers)
    drawn = list(batches)
    assert [len(batch) for batch in drawn] == [5, 5, 2]
    assert len(batches) == 3
    assert torch.cat([batch.ids for batch in drawn]).tolist() == list(range(12))
    assert torch.cat([batch.labels for batch in drawn]).tolist() == [0, 1, 2, 3] * 3
    images = torch.cat([batch.images for batch in drawn])
    for i in range(12):
        expected = normalise(prepare(decode(catalog.path(i)), P)[None], P)[0]
        assert torch.equal(images[i], expected)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_bad_picture_stops_evaluation_with_its_path_and_row(spoilt, workers):
    with pytest.raises(ImageError, match=rf"bad\.png \(row {BAD}\): not a picture"):
        list(EvaluationBatches(spoilt, P, batch_size=4, workers=workers))


def test_the_row_in_an_error_is_the_sources(catalog):
    gone = catalog.subset([2, 3])
    gone = Catalog(
        catalog.root, ("2.png", "gone.png"), gone.labels, gone.class_names, rows=gone.rows
    )
    with pytest.raises(ImageError, match=r"gone.png \(row 103\): there is no such file"):
        list(EvaluationBatches(gone, P))


@pytest.mark.parametrize("workers", [0, 2])
def test_skipping_leaves_out_and_reports_and_replaces_nothing(spoilt, workers):
    batches = EvaluationBatches(spoilt, P, batch_size=4, workers=workers, skip_bad=True)
    for _ in range(2):  # the report is of the latest iteration
        drawn = list(batches)
        assert torch.cat([b.ids for b in drawn]).tolist() == [i for i in range(12) if i != BAD]
        assert [len(b) for b in drawn] == [4, 3, 4]
        assert all((b.labels == b.ids % 4).all() for b in drawn)
        assert [failure.row for failure in batches.failures] == [BAD]


def test_a_batch_without_a_picture_does_not_come(spoilt):
    batches = EvaluationBatches(spoilt, P, batch_size=1, skip_bad=True)
    assert [int(batch.ids) for batch in batches] == [i for i in range(12) if i != BAD]
    assert list(EvaluationBatches(spoilt.subset([]), P)) == []


def test_boxes_are_used_when_asked_for(catalog):
    plain = next(iter(EvaluationBatches(catalog, P, batch_size=12))).images
    boxed = next(iter(EvaluationBatches(catalog, BOXED, batch_size=12))).images
    assert [i for i in range(12) if not torch.equal(plain[i], boxed[i])] == [3]
    inside = Image.open(catalog.path(3)).convert("RGB").crop((2, 4, 18, 20))
    assert torch.equal(boxed[3], normalise(prepare(inside, P)[None], P)[0])
    options = {"preprocessing": BOXED, "augmentation": Augmentation(crop="none", flip=0)}
    for _, ids, _, images in by_draw(training(catalog, **options)):
        np.testing.assert_allclose(images, boxed[ids], atol=1e-5, rtol=0)


def test_training_draws_what_the_sampler_says(catalog):
    sampler = sampler_of(catalog)
    expected = []
    for epoch in (0, 1):
        sampler.set_epoch(epoch)
        expected += list(sampler)
    drawn = by_draw(training(catalog))
    assert [ids.tolist() for _, ids, _, _ in drawn] == expected
    assert all((labels == ids % 4).all() for _, ids, labels, _ in drawn)


@pytest.mark.parametrize("augmentation", [VARIED, CUT], ids=["none", "resized"])
def test_workers_caches_and_earlier_epochs_make_no_difference(catalog, augmentation):
    def drawn(epochs=(0, 1, 2), **options):
        return by_draw(training(catalog, augmentation=augmentation, **options), epochs)

    reference = drawn()
    same(reference, drawn(cache_mib=0))
    same(reference, drawn(workers=2))
    same([d for d in reference if d[0] == 2], drawn(epochs=(2,)))


def test_a_picture_is_varied_anew_each_epoch_and_twice_within_a_batch(catalog):
    epochs = {}
    for epoch, ids, _, images in by_draw(training(catalog)):
        for i, image in zip(ids.tolist(), images, strict=True):
            epochs.setdefault((epoch, i), image)
    assert not torch.equal(epochs[0, 1], epochs[1, 1])
    few = catalog.subset([0, 4, 1, 5])  # two classes of two, three drawn from each
    for _, ids, _, images in by_draw(training(few)):
        for i in ids.unique():
            mine = images[ids == i]
            assert all(not torch.equal(mine[0], other) for other in mine[1:])


@pytest.mark.parametrize("workers", [0, 2])
def test_a_bad_picture_stops_training_with_its_path_and_row(spoilt, workers):
    with pytest.raises(ImageError, match=rf"bad\.png \(row {BAD}\)"):
        by_draw(training(spoilt, workers=workers))


@pytest.mark.parametrize("workers", [0, 2])
def test_training_can_skip_a_bad_picture(spoilt, workers):
    batches = training(spoilt, workers=workers, skip_bad=True)
    drawn = by_draw(batches)
    assert all(BAD not in ids for _, ids, _, _ in drawn)
    assert sum(len(ids) for _, ids, _, _ in drawn) == 2 * 12 - 2
    assert [(failure.row, failure.reason[:13]) for failure in batches.failures] == [
        (BAD, "not a picture")
    ]


def test_the_cache_keeps_what_fits_and_asks_once():
    asked = []

    def make(row):
        asked.append(row)
        return np.full(10, row, np.uint8)

    cache = PictureCache(room=25)
    for row in (1, 2, 3, 1, 2, 3):
        assert (cache.get(row, make) == row).all()
    assert asked == [1, 2, 3, 3]


def test_iteration_can_stop_early_and_start_again(catalog):
    batches = training(catalog, workers=2)
    first = next(iter(batches))
    again = list(batches)
    assert torch.equal(first.images, again[0].images)
    assert len(again) == len(batches)


def test_loading_leaves_the_global_generator_alone(catalog):
    torch.manual_seed(3)
    list(training(catalog))
    list(EvaluationBatches(catalog, P))
    drawn = torch.rand(1)
    torch.manual_seed(3)
    assert torch.equal(drawn, torch.rand(1))


def test_what_workers_are_given_can_be_pickled(catalog):
    prepared = pickle.loads(pickle.dumps(EvaluationPictures(catalog, P)))
    augmented = TrainingPictures(catalog, CUT.build(P), 0, PictureCache(1000))
    assert prepared[Job((0, 1))].rows == pickle.loads(pickle.dumps(augmented))[Job((0, 1))].rows
