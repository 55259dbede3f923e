from itertools import combinations, permutations
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from lookalike.errors import UsageError
from lookalike.explanation.groups.maps import token_lengths
from lookalike.explanation.measures.diversity import measure_diversity
from lookalike.heads import Attentive, Single
from lookalike.model import create_model
from lookalike.preprocessing import Preprocessing
from lookalike.types import Embedding, Level


class Told(torch.nn.Module):
    """A head whose maps and vectors are told: rows of a table, picture by picture."""

    levels = 1

    def __init__(self, maps, vectors):
        super().__init__()
        self.maps, self.vectors = torch.tensor(maps).double(), torch.tensor(vectors).double()
        self.groups, self.dim = self.maps.shape[1], self.vectors.shape[2]
        self.next = 0

    def breakdown(self, features):
        self.rows = slice(self.next, self.next + len(features.stages[0]))
        self.next = self.rows.stop
        return SimpleNamespace(weights=lambda: self.maps[self.rows])

    def forward(self, features):
        return Embedding((Level(self.vectors[self.rows]),))


@pytest.fixture
def model():
    return create_model("tiny", head=Single(), dim=4, preprocessing=Preprocessing(size=16))


def test_two_groups_by_hand(model, album):
    # Eight cells, so the highest two count.
    maps = np.zeros((6, 2, 2, 4))
    maps[:, 0, 0] = [0.6, 0.4, 0, 0]
    maps[:, 1, 0] = [0, 0.6, 0.4, 0]  # one of three cells in common
    maps[5, 1] = maps[5, 0]
    vectors = np.tile([[[1.0, 0.0], [0.0, 2.0]]], (6, 1, 1))
    vectors[5, 1] = [3, 0]
    model.head = Told(maps, vectors)
    (found,) = measure_diversity(model, album, maps=["attention"], batch_size=4)
    assert (found.of, found.groups, found.pictures) == ("attention", 2, 6)
    cosine = 0.6 * 0.4 / (0.6**2 + 0.4**2)
    assert found.map_cosine.mean == pytest.approx((5 * cosine + 1) / 6)
    assert found.map_overlap.mean == pytest.approx((5 / 3 + 1) / 6)
    assert found.vector_cosine.mean == pytest.approx(1 / 6)
    assert found.vector_spread == pytest.approx(np.sqrt(1 / 6 - 1 / 36))
    assert found.map_overlap.low < found.map_overlap.mean < found.map_overlap.high
    assert found.as_dict()["vector_cosine"]["mean"] == pytest.approx(1 / 6)


def test_many_groups_against_loops(model, album):
    random = np.random.default_rng(0)
    maps, vectors = random.random((6, 7, 3, 3)) ** 4, random.normal(size=(6, 7, 5))
    model.head = Told(maps, vectors)
    (found,) = measure_diversity(model, album, maps=["attention"])

    def cosine(one, two):
        return one @ two / np.sqrt((one @ one) * (two @ two))

    def overlap(one, two):
        highest = [set(np.argsort(-values)[:2]) for values in (one, two)]
        return len(set.intersection(*highest)) / len(set.union(*highest))

    flat = maps.reshape(6, 7, 9)
    pairs = [(i, p, q) for i in range(6) for p, q in combinations(range(7), 2)]
    assert found.map_cosine.mean == pytest.approx(
        np.mean([cosine(flat[i, p], flat[i, q]) for i, p, q in pairs])
    )
    assert found.map_overlap.mean == pytest.approx(
        np.mean([overlap(flat[i, p], flat[i, q]) for i, p, q in pairs])
    )
    between = [
        cosine(vectors[i, p], vectors[i, q]) for i in range(6) for p, q in permutations(range(7), 2)
    ]
    assert found.vector_cosine.mean == pytest.approx(np.mean(between))
    assert found.vector_spread == pytest.approx(np.std(between))


def test_cells_at_zero_are_in_no_quarter(model, album):
    maps = np.zeros((6, 2, 2, 4))
    maps[:, 0, 0, 0] = maps[:, 1, 1, 3] = 1  # both would be filled up with cells at zero
    model.head = Told(maps, np.ones((6, 2, 1)))
    (found,) = measure_diversity(model, album, maps=["attention"])
    assert found.map_overlap.mean == 0
    assert found.vector_cosine is None  # of single numbers
    assert found.vector_spread is None


def test_one_group_has_nothing_to_be_compared_with(model, album):
    found, tokens = measure_diversity(model, album)
    assert tokens.as_dict() == found.as_dict() | {"of": "tokens"}
    assert found.as_dict() == {
        "of": "attention",
        "groups": 1,
        "pictures": 6,
        "map_cosine": None,
        "map_overlap": None,
        "vector_cosine": None,
        "vector_spread": None,
    }


def test_tokens_are_another_map_than_attention(album):
    torch.manual_seed(0)
    model = create_model("tiny", head=Attentive(groups=3, query_scale=5), dim=6)
    found = {each.of: each for each in measure_diversity(model, album)}
    assert found["tokens"].map_cosine != found["attention"].map_cosine
    assert found["tokens"].vector_cosine == found["attention"].vector_cosine
    features = model.eval().features(torch.zeros(1, 3, 64, 64))
    assert token_lengths(model.head.tokens(features)).shape[1] == 3


def test_an_empty_catalog(model, album):
    with pytest.raises(UsageError, match="no pictures"):
        measure_diversity(model, album.subset([]))
