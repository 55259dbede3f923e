from collections import Counter
from itertools import pairwise
from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.data.batches.pk_sampler import PKBatchSampler
from lookalike.errors import UsageError

SEEDS = st.integers(0, 2**32 - 1)


def labels_of(sizes, seed=0):
    """Class i has sizes[i] pictures, rows of classes mixed; codes need not be dense."""
    labels = np.repeat(np.arange(len(sizes)) * 3, sizes)
    return np.random.default_rng(seed).permutation(labels)


@st.composite
def plans(draw, smallest=1, groups=False):
    """Sizes of classes, P, K, a seed, and a group for each picture."""
    p, k = draw(st.integers(1, 5)), draw(st.integers(2, 4))
    sizes = draw(st.lists(st.integers(max(2, smallest), 9), min_size=p, max_size=20))
    if smallest == 1:
        sizes += [1] * draw(st.integers(0, 9))
    names = st.lists(
        st.sampled_from([None, "a", "b", "c"]), min_size=sum(sizes), max_size=sum(sizes)
    )
    return sizes, p, k, draw(SEEDS), draw(names) if groups else None


def made(plan):
    sizes, p, k, seed, groups = plan
    labels = labels_of(sizes)
    sampler = PKBatchSampler(
        labels, classes_per_batch=p, images_per_class=k, seed=seed, groups=groups
    )
    return labels, sampler, p, k


def classes_of(batch, labels):
    return [int(c) for c in dict.fromkeys(labels[batch].tolist())]


@settings(max_examples=40)
@given(plans(), st.integers(0, 5))
def test_a_class_gives_k_pictures_and_repeats_none_it_need_not(plan, epoch):
    labels, sampler, p, k = made(plan)
    sizes = Counter(labels.tolist())
    sampler.set_epoch(epoch)
    for batch in sampler:
        assert 0 < len(batch) <= p * k
        for label in classes_of(batch, labels):
            times = Counter(row for row in batch if labels[row] == label)
            size = sizes[label]
            if size == 1:
                assert list(times.values()) == [1]
                continue
            assert sum(times.values()) == k
            assert len(times) == min(k, size)
            assert set(times.values()) <= {k // size, ceil(k / size)} - {0}


@settings(max_examples=40)
@given(plans(smallest=2), st.integers(0, 5))
def test_every_batch_is_p_classes_by_k_pictures(plan, epoch):
    labels, sampler, p, k = made(plan)
    sampler.set_epoch(epoch)
    batches = list(sampler)
    assert len(batches) == len(sampler)
    for batch in batches:
        assert len(batch) == p * k
        assert len(classes_of(batch, labels)) == p


@given(plans())
def test_every_class_is_seen_before_any_is_seen_again(plan):
    labels, sampler, p, k = made(plan)
    sizes = Counter(labels.tolist())
    members = {label for label, size in sizes.items() if size > 1}
    places = len(members) + ceil((len(sizes) - len(members)) / k)
    batches_per_pass = ceil(places / p)
    assert len(sampler) % batches_per_pass == 0
    batches = list(sampler)
    for start in range(0, len(batches), batches_per_pass):
        one_pass = batches[start : start + batches_per_pass]
        seen = Counter(c for batch in one_pass for c in classes_of(batch, labels))
        assert set(seen) == set(sizes)
        last = set(classes_of(one_pass[-1], labels))
        again = {label for label, times in seen.items() if times > 1}
        assert again <= last
        # No more are seen again than it takes to fill the last batch up.
        assert len(again & members) <= batches_per_pass * p - places
        assert max(seen.values()) <= 2


@settings(max_examples=40)
@given(st.integers(1, 6), st.integers(0, 5), SEEDS, st.sampled_from([None, 1, 3]))
def test_the_classes_of_a_batch_are_not_in_the_next(p, more, seed, batches_per_epoch):
    labels = labels_of([4] * (3 * p + more))
    sampler = PKBatchSampler(
        labels, classes_per_batch=p, images_per_class=2, seed=seed,
        batches_per_epoch=batches_per_epoch,
    )  # fmt: skip
    batches = []
    for epoch in range(4):
        sampler.set_epoch(epoch)
        batches += [set(classes_of(batch, labels)) for batch in sampler]
    filled = -len(set(labels.tolist())) % p
    for a, b in pairwise(batches):
        # The one batch that is filled up takes classes from the start of its pass.
        assert len(a & b) <= (filled if more else 0)


@settings(max_examples=40)
@given(plans(), st.integers(0, 6))
def test_an_epoch_depends_on_seed_and_number_alone(plan, epoch):
    sampler = made(plan)[1]
    for before in range(epoch):
        sampler.set_epoch(before)
        list(sampler)
    sampler.set_epoch(epoch)
    fresh = made(plan)[1]
    fresh.set_epoch(epoch)
    assert list(sampler) == list(fresh) == list(fresh)


def test_batches_are_drawn_as_they_always_were():
    """Figures of trained models depend on these draws, so they must not change."""
    labels = [i // 3 for i in range(24)]
    for groups, expected in (
        (None, [20, 19, 9, 10, 12, 13]),
        (["a", "b", "b"] * 8, [20, 18, 10, 9, 12, 13]),
    ):
        sampler = PKBatchSampler(
            labels, classes_per_batch=3, images_per_class=2, seed=4, groups=groups
        )
        sampler.set_epoch(2)
        assert next(iter(sampler)) == expected


def test_epochs_and_seeds_differ():
    labels = labels_of([5] * 12)
    drawn = []
    for seed, epoch in ((0, 0), (0, 1), (1, 0)):
        sampler = PKBatchSampler(labels, classes_per_batch=3, images_per_class=2, seed=seed)
        sampler.set_epoch(epoch)
        drawn.append(list(sampler))
    assert drawn[0] != drawn[1] != drawn[2] != drawn[0]


@settings(max_examples=40)
@given(st.lists(st.integers(2, 11), min_size=4, max_size=9), st.integers(2, 4), SEEDS)
def test_every_picture_is_seen_within_a_cycle_of_its_class(sizes, k, seed):
    labels = labels_of(sizes)
    passes = max(ceil(size / k) for size in sizes)
    per_pass = ceil(len(sizes) / 2)
    sampler = PKBatchSampler(
        labels, classes_per_batch=2, images_per_class=k, seed=seed,
        batches_per_epoch=passes * per_pass,
    )  # fmt: skip
    assert {row for batch in sampler for row in batch} == set(range(len(labels)))
    assert sampler.coverage().images_seen == len(labels)


def test_passes_run_on_from_epoch_to_epoch():
    labels = labels_of([4] * 12)
    one = PKBatchSampler(
        labels, classes_per_batch=3, images_per_class=2, seed=5, batches_per_epoch=12
    )
    parts = PKBatchSampler(
        labels, classes_per_batch=3, images_per_class=2, seed=5, batches_per_epoch=3
    )
    batches = []
    for epoch in range(4):
        parts.set_epoch(epoch)
        batches += list(parts)
    assert batches == list(one)


@settings(max_examples=40)
@given(plans(smallest=2, groups=True), st.integers(0, 3))
def test_positives_come_from_as_many_groups_as_can_be(plan, epoch):
    labels, sampler, _, k = made(plan)
    groups = plan[-1]
    sampler.set_epoch(epoch)

    def kinds(rows):
        """How many groups; a picture without one is its own."""
        return len({groups[row] or row for row in rows})

    for batch in sampler:
        for label in classes_of(batch, labels):
            drawn = [row for row in batch if labels[row] == label]
            members = np.flatnonzero(labels == label).tolist()
            assert kinds(drawn) == min(k, kinds(members))


def test_two_pictures_of_one_group_are_taken_when_there_is_no_other():
    sampler = PKBatchSampler(
        [0, 0, 0, 1, 1, 1], classes_per_batch=2, images_per_class=3, seed=0,
        groups=["a", "a", "a", "a", "b", "b"],
    )  # fmt: skip
    assert [sorted(batch) for batch in sampler] == [[0, 1, 2, 3, 4, 5]]


def test_coverage_counts_what_was_drawn():
    # Classes of 4, 3, 1 and 1: three places, of which the last holds both single pictures.
    labels = [0, 0, 0, 0, 1, 1, 1, 2, 3]
    sampler = PKBatchSampler(labels, classes_per_batch=3, images_per_class=4, seed=0)
    coverage = sampler.coverage()
    assert [len(batch) for batch in sampler] == [10]
    assert (coverage.classes_seen, coverage.classes) == (4, 4)
    assert (coverage.images_seen, coverage.images) == (9, 9)
    assert (coverage.repeats, coverage.singles) == (1, 2)
    assert str(coverage) == (
        "epoch 0: 1 batches, 4 of 4 classes, 9 of 9 pictures, 1 repeated within a batch, "
        "2 classes of one picture (negatives only)"
    )


def test_an_epoch_is_about_one_look_at_every_picture():
    # 100 classes of 59: two batches a pass, 52.7 batches of 112 pictures.
    sampler = PKBatchSampler(
        labels_of([59] * 100), classes_per_batch=56, images_per_class=2, seed=0
    )
    assert len(sampler) == 52
    assert len(PKBatchSampler([0, 0, 1, 1], classes_per_batch=2, images_per_class=2, seed=0)) == 1


@pytest.mark.parametrize(
    ("sizes", "p", "k", "message"),
    [
        ([3] * 9, 10, 4, "need 10 classes, but there are 9: take a batch size of at most 36"),
        ([3] * 2 + [1] * 5, 5, 4, r"but there are 4 \(5 single pictures .*at most 16"),
        ([1] * 5, 2, 4, "none of the 5 classes has two pictures"),
        ([], 2, 4, "none of the 0 classes"),
        ([3] * 9, 8, 1, "at least 1 class and 2 images per class, got 8 and 1"),
        ([3] * 9, 0, 4, "at least 1 class and 2 images per class, got 0 and 4"),
    ],
)
def test_sizes_that_cannot_work_say_which_would(sizes, p, k, message):
    with pytest.raises(UsageError, match=message):
        PKBatchSampler(labels_of(sizes), classes_per_batch=p, images_per_class=k, seed=0)


def test_no_batches_are_refused():
    with pytest.raises(UsageError, match="batches_per_epoch"):
        PKBatchSampler([0, 0], classes_per_batch=1, images_per_class=2, seed=0, batches_per_epoch=0)
