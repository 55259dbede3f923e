from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch

from lookalike.data import Catalog, read_for, to_inputs
from lookalike.errors import UsageError
from lookalike.explanation.measures import PairedPictures, same_class_pairs


def catalog_of(*labels) -> Catalog:
    return Catalog(
        root=Path("."),
        paths=tuple(f"{i}.png" for i in range(len(labels))),
        labels=np.array(labels),
        class_names=tuple("abcdefg"),
    )


CATALOG = catalog_of(0, 1, 0, 1, 0, 2, 0, 1, 3, 3)
"""Classes of 4, 3, 1 and 2 pictures: 6 + 3 + 0 + 1 pairs."""


def test_same_pairs_are_of_one_class_and_each_two_pictures_meet_once():
    pairs = same_class_pairs(CATALOG, 100, seed=0)
    assert all(CATALOG.labels[a] == CATALOG.labels[b] and a != b for a, b in pairs)
    assert len({frozenset(pair) for pair in pairs}) == len(pairs) == 10


def test_every_picture_is_a_query_before_one_is_again():
    many = catalog_of(*[0] * 12, *[1] * 8)
    queries = Counter(a for a, _ in same_class_pairs(many, 30, seed=3))
    assert set(queries) == set(range(20))
    assert max(queries.values()) == 2


def test_the_seed_decides():
    assert same_class_pairs(CATALOG, 5, seed=1) == same_class_pairs(CATALOG, 5, seed=1)
    assert len({tuple(same_class_pairs(CATALOG, 5, seed=seed)) for seed in range(10)}) > 5


@pytest.mark.parametrize(
    ("catalog", "count", "message"),
    [(catalog_of(0, 1, 2), 3, "no class has two pictures"), (CATALOG, 0, "ask for at least one")],
)
def test_what_cannot_be_drawn_is_refused(catalog, count, message):
    with pytest.raises(UsageError, match=message):
        same_class_pairs(catalog, count, seed=0)


def test_pictures_come_in_the_order_of_the_pairs(album, watcher):
    p = watcher.preprocessing
    one_by_one = [to_inputs([read_for(album.path(i), p)], p)[0] for i in range(len(album))]
    pairs = PairedPictures.read(album, [(4, 0), (2, 4), (5, 5)], p, batch_size=2)
    assert torch.equal(pairs.a, torch.stack([one_by_one[i] for i in (4, 2, 5)]))
    assert torch.equal(pairs.b, torch.stack([one_by_one[i] for i in (0, 4, 5)]))
    assert (len(pairs), pairs.clusters) == (3, [4, 2, 5])
