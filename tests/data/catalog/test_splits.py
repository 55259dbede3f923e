import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.entries import Entry
from lookalike.data.catalog.splits import (
    by_class,
    hold_out_classes,
    require_disjoint,
    shared_classes,
)
from lookalike.errors import CatalogError

SEEDS = st.integers(0, 2**32 - 1)
SHARES = st.floats(0.001, 0.999)


def catalog_of(sizes: list[int], splits: list[str] | None = None) -> Catalog:
    """A catalog whose class i has sizes[i] pictures, the classes' rows interleaved."""
    labels = [i for turn in range(max(sizes)) for i, size in enumerate(sizes) if turn < size]
    entries = [
        Entry(f"{row}.png", str(label), row, splits[label] if splits else None)
        for row, label in enumerate(labels)
    ]
    return Catalog.from_entries(".", entries)


@given(st.lists(st.integers(1, 5), min_size=4, max_size=30), SHARES, SEEDS)
def test_by_class_covers_every_row_and_shares_no_class(sizes, share, seed):
    catalog = catalog_of(sizes)
    split = by_class(catalog, test_share=share, seed=seed)
    train, test = split.split("train"), split.split("test")
    assert sorted(train.paths + test.paths) == sorted(catalog.paths)
    assert not set(train.classes.tolist()) & set(test.classes.tolist())
    assert len(train.classes) >= 2
    assert len(test.classes) >= 2
    assert abs(len(test.classes) - share * len(sizes)) <= 2
    assert split.class_names == catalog.class_names
    assert shared_classes(split) == ()


@given(st.lists(st.integers(2, 5), min_size=4, max_size=20), st.integers(0, 9), SHARES, SEEDS)
def test_held_out_classes_cover_every_row_and_can_be_searched_for(several, alone, share, seed):
    catalog = catalog_of(several + [1] * alone)
    train, held = hold_out_classes(catalog, share=share, seed=seed)
    assert sorted(train.paths + held.paths) == sorted(catalog.paths)
    assert not set(train.classes.tolist()) & set(held.classes.tolist())
    assert (held.counts()[held.classes] >= 2).all()
    assert len(held.classes) >= 2
    assert (train.counts() >= 2).sum() >= 2
    assert abs(len(held.classes) - share * len(several)) <= 2


def test_shares_are_of_classes_and_rounded():
    catalog = catalog_of([9, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    assert len(by_class(catalog, test_share=0.3, seed=0).split("test").classes) == 3
    train, held = hold_out_classes(catalog_of([2] * 10 + [1] * 10), share=0.4, seed=0)
    assert len(held.classes) == 4
    assert len(train.classes) == 16


def test_the_seed_decides():
    catalog = catalog_of([2] * 40)
    first, again, other = (by_class(catalog, seed=seed).splits for seed in (1, 1, 2))
    assert first == again
    assert first != other
    held = [hold_out_classes(catalog, share=0.5, seed=seed)[1].paths for seed in (1, 1, 2)]
    assert held[0] == held[1] != held[2]


def test_the_order_of_rows_does_not():
    catalog = catalog_of([2] * 40)
    rng = np.random.default_rng(0)
    shuffled = catalog.subset(rng.permutation(len(catalog)))
    one, two = (by_class(c, seed=5).split("test").classes for c in (catalog, shuffled))
    np.testing.assert_array_equal(one, two)


def test_only_classes_that_are_there_are_split():
    catalog = catalog_of([2] * 10)
    part = catalog.subset(catalog.labels < 4)
    split = by_class(part, seed=0)
    assert len(split.split("train").classes) == len(split.split("test").classes) == 2


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, 1.5, float("nan")])
def test_shares_out_of_range(share):
    with pytest.raises(CatalogError, match=r"test_share = .* between 0 and 1"):
        by_class(catalog_of([2] * 9), test_share=share, seed=0)


def test_no_validation_is_asked_for_otherwise():
    with pytest.raises(CatalogError, match="to train without validation, pass none"):
        hold_out_classes(catalog_of([2] * 9), share=0.0, seed=0)


def test_too_few_classes():
    with pytest.raises(CatalogError, match="3 classes cannot be split"):
        by_class(catalog_of([5] * 3), seed=0)
    with pytest.raises(CatalogError, match="3 classes with two or more pictures cannot be split"):
        hold_out_classes(catalog_of([5] * 3 + [1] * 9), share=0.5, seed=0)


def test_shared_classes_are_named_and_refused():
    entries = [
        Entry("1", "cat", 1, "train"), Entry("2", "cat", 2, "test"), Entry("3", "dog", 3, "train"),
        Entry("4", "eel", 4, "test"), Entry("5", "dog", 5, "val"), Entry("6", "eel", 6, None),
    ]  # fmt: skip
    catalog = Catalog.from_entries("birds", entries)
    assert shared_classes(catalog) == ("cat",)
    with pytest.raises(CatalogError, match=r"birds: classes in train and in test: 1 \(cat\)"):
        require_disjoint(catalog)
    with pytest.warns(UserWarning, match="figures will not tell"):
        assert require_disjoint(catalog, allow_closed_set=True) == ("cat",)
    assert require_disjoint(catalog.subset([0, 2, 3])) == ()  # and no warning, which would raise
