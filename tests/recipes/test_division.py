import pytest

from lookalike.backbones import Tiny
from lookalike.data import Catalog, Entry
from lookalike.errors import CatalogError
from lookalike.heads import Single
from lookalike.losses import BinomialDeviance, ObjectiveConfig
from lookalike.model import ModelConfig
from lookalike.recipes import Recipe, SplitConfig, divide
from lookalike.training import TrainConfig


def recipe(share: float = 0.25, **split) -> Recipe:
    return Recipe(
        name="test",
        model=ModelConfig(backbone=Tiny(), head=Single()),
        objective=ObjectiveConfig(loss=BinomialDeviance()),
        split=SplitConfig(**split),
        train=TrainConfig(validation_share=share),
    )


def catalog(classes: int, split=lambda label: None) -> Catalog:
    entries = [
        Entry(f"{label}/{i}.png", f"c{label:02}", 4 * label + i, split=split(label))
        for label in range(classes)
        for i in range(4)
    ]
    return Catalog.from_entries(".", entries)


def names(part: Catalog) -> set[str]:
    return {part.class_names[code] for code in part.classes.tolist()}


def test_without_splits_classes_are_divided_and_nothing_is_lost():
    whole = catalog(20)
    parts = divide(whole, recipe(test_share=0.3))
    sets = [names(part) for part in (parts.train, parts.validation, parts.test)]
    assert [len(s) for s in sets] == [10, 4, 6]  # a quarter of 14 is 3.5
    assert set.union(*sets) == names(whole)
    assert sum(len(s) for s in sets) == 20


def test_training_codes_have_no_gaps_and_keep_their_names():
    parts = divide(catalog(20), recipe())
    assert parts.train.classes.tolist() == list(range(len(parts.train.class_names)))
    for i, path in enumerate(parts.train.paths):
        assert parts.train.class_name(i) == f"c{int(path.split('/')[0]):02}"


def test_a_split_of_the_catalogs_own_chooses_the_epoch():
    parts = divide(catalog(9, lambda label: ("train", "val", "test")[label % 3]), recipe())
    assert names(parts.validation) == {"c01", "c04", "c07"}
    assert names(parts.train) == {"c00", "c03", "c06"}
    assert "'val'" in parts.selected_on


def test_share_zero_keeps_the_last_epoch():
    parts = divide(catalog(8, lambda label: "train"), recipe(share=0.0))
    assert parts.validation is None
    assert parts.test is None
    assert len(parts.train) == 32
    assert "last epoch" in parts.selected_on


def test_classes_in_train_and_test_are_refused_unless_asked_for():
    entries = [
        Entry(f"{i}.png", f"c{i % 4}", i, split=("train", "test")[i // 16]) for i in range(32)
    ]
    closed = Catalog.from_entries(".", entries)
    with pytest.raises(CatalogError, match="classes in train and in test: 4"):
        divide(closed, recipe())
    with pytest.warns(UserWarning, match="new classes"):
        assert len(divide(closed, recipe(allow_closed_set=True)).test) == 16
