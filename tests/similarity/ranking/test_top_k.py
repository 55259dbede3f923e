"""Ranking: exact, and the same whatever the tiles, for ties, self-matches and short lists."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import normalize

from lookalike.errors import LookalikeError, UsageError
from lookalike.similarity import Cosine, top_k, top_k_inner
from lookalike.similarity.ranking import running_best
from lookalike.types import Embedding


def sorted_lists(scores, k, query_ids=None, gallery_ids=None):
    """The definition: sort by (−score, id), leave the query out by id, cut at k."""
    gallery_ids = range(len(scores[0])) if gallery_ids is None else gallery_ids
    lists, tied = [], []
    for q, row in enumerate(scores):
        own = None if query_ids is None else query_ids[q]
        order = sorted((-s, i) for s, i in zip(row, gallery_ids, strict=True) if i != own)
        lists.append([i for _, i in order[:k]])
        tied.append(len(order) > k and order[k - 1][0] == order[k][0])
    return lists, tied


def small_integers(rows, columns):
    """Vectors whose products are exact, with many ties and duplicates."""
    number = st.integers(-2, 2)
    return st.lists(
        st.lists(number, min_size=columns, max_size=columns), min_size=1, max_size=rows
    ).map(lambda values: torch.tensor(values, dtype=torch.float32))


@settings(deadline=None, max_examples=80)
@given(small_integers(40, 3), st.integers(1, 50), st.sampled_from([1, 5, 64]), st.randoms())
def test_a_set_within_itself_equals_sorting(x, k, block, random):
    ids = random.sample(range(1000), len(x))
    found = top_k_inner(x, x, k, query_ids=ids, gallery_ids=ids, block=block)
    lists, tied = sorted_lists((x @ x.T).tolist(), k, ids, ids)
    width = max(1, min(k, len(x) - 1))
    assert found.ids.tolist() == [row + [-1] * (width - len(row)) for row in lists]
    assert found.tied.tolist() == tied
    assert found.tie_share == pytest.approx(np.mean(tied))


@settings(deadline=None, max_examples=80)
@given(
    small_integers(12, 2), small_integers(40, 2), st.integers(1, 50), st.sampled_from([1, 7, 64])
)
def test_two_sets_equal_sorting(query, gallery, k, block):
    query_ids = list(range(5, 5 + len(query)))  # some are in the gallery, some are not
    found = top_k_inner(query, gallery, k, query_ids=query_ids, block=block)
    lists, tied = sorted_lists((query @ gallery.T).tolist(), k, query_ids)
    assert [[i for i in row if i >= 0] for row in found.ids.tolist()] == lists
    assert found.tied.tolist() == tied
    for row, scores in enumerate(found.scores):
        own = [(query[row] @ gallery[i]).item() for i in lists[row]]
        assert scores.tolist() == own + [-np.inf] * (found.ids.shape[1] - len(own))


@pytest.mark.parametrize(("dim", "block"), [(3, 13), (64, 13), (64, 333), (1000, 200)])
def test_equal_vectors_tie_and_blocks_do_not_matter(dim, block):
    generator = torch.Generator().manual_seed(dim)
    x = normalize(torch.randn(300, dim, generator=generator), dim=1)
    x = torch.cat([x, x[:100], x[50:150]])
    ids = range(len(x))
    whole = top_k_inner(x, x, 10, query_ids=ids)
    assert (whole.ids[:50, 0] == torch.arange(300, 350)).all()  # each finds its copy
    assert (whole.ids[400:450, 0] == torch.arange(50, 100)).all()  # of two copies the lower id
    for gallery in (x, x.clone()):  # half the products, or all of them
        pieces = top_k_inner(x, gallery, 10, query_ids=ids, block=block)
        assert torch.equal(pieces.ids, whole.ids)
        assert torch.equal(pieces.scores, whole.scores)


def test_many_columns_against_torch():
    generator = torch.Generator().manual_seed(0)
    query = torch.randn(20, 8, generator=generator)
    gallery = torch.randn(20_000, 8, generator=generator)
    found = top_k_inner(query, gallery, 30)
    scores = query.double() @ gallery.double().T
    expected = scores.topk(30)
    assert torch.equal(found.ids, expected.indices)
    assert torch.allclose(found.scores.double(), expected.values, atol=1e-5)


def test_a_gallery_that_gets_better_and_better():
    """Every column beats all before it: the running list is replaced in every tile."""
    gallery = torch.arange(9000.0)[:, None]
    found = top_k_inner(torch.ones(300, 1), gallery, 3, block=1000)
    assert (found.ids == torch.tensor([8999, 8998, 8997])).all()


class Distances:
    """A similarity with no inner product: minus the squared distance."""

    def matrix(self, a, b):
        return -torch.cdist(a.flat(), b.flat()).square()

    def bound(self, query, gallery):
        return None

    inner_product = False
    splits_difference = True
    lowest = -np.inf
    pairs = parts = candidates = maps = regions = shared = account = matrix  # of no use here


def test_any_similarity():
    x = torch.arange(6.0).square()[:, None]
    found = top_k(Distances(), Embedding.of(x), Embedding.of(x), 2, query_ids=range(6), block=4)
    assert found.ids.tolist() == [[1, 2], [0, 2], [1, 0], [2, 4], [3, 5], [4, 3]]


def test_ids_need_no_order_for_any_similarity():
    x = torch.arange(4.0)[:, None]
    ids = [9, 3, 7, 1]
    found = top_k(Distances(), Embedding.of(x), Embedding.of(x), 2, query_ids=ids, gallery_ids=ids)
    assert found.ids.tolist() == [[3, 7], [7, 9], [1, 3], [7, 3]]


def test_a_similarity_keeps_its_matrix():
    kept = torch.eye(3)

    class Kept(Distances):
        def matrix(self, a, b):
            return kept

    embedding = Embedding.of(torch.eye(3))
    top_k(Kept(), embedding, embedding, 1, query_ids=range(3))
    assert torch.equal(kept, torch.eye(3))


@pytest.mark.parametrize("weights", [None, (0.7, 0.3), (1.5, -0.5)])
def test_cosine_of_groups_follows_its_matrix(weights):
    generator = torch.Generator().manual_seed(1)
    e = Embedding.of(normalize(torch.randn(50, 2, 8, generator=generator), dim=-1))
    similarity = Cosine(weights=weights).build(2)
    found = top_k(similarity, e, e, 5)
    expected = similarity.matrix(e, e).topk(5)
    assert torch.equal(found.ids, expected.indices)
    assert torch.allclose(found.scores, expected.values, atol=1e-6)


def test_minus_zero_is_zero():
    best = running_best.RunningBest(1, 3)
    best.see(0, 0, torch.tensor([[0.0, -0.0, 0.0]]))
    assert best.ranked()[0].tolist() == [[0, 1, 2]]


def test_packed_order():
    scores = np.array([-np.inf, -3e38, -1.0, -1e-45, 0.0, 1e-45, 1.0, 3e38], np.float32)
    keys = running_best._pack(scores, np.zeros(len(scores), np.int64))
    assert (np.diff(keys) > 0).all()
    assert np.array_equal(running_best._scores(keys), scores)


def test_alone_with_itself_there_is_nobody():
    found = top_k_inner(torch.ones(1, 2), torch.ones(1, 2), 3, query_ids=[0])
    assert found.ids.tolist() == [[-1]]
    assert found.scores.tolist() == [[-np.inf]]
    assert found.tied.tolist() == [False]


@pytest.mark.parametrize("bad", [np.nan, np.inf, 3e38])
def test_scores_must_be_finite(bad):
    x = torch.ones(70, 2)
    x[65] = bad
    with pytest.raises(LookalikeError, match="query 0 is not finite"):
        top_k_inner(x, x, 1, query_ids=range(70))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": 0}, "at least one"),
        ({"gallery": torch.ones(0, 2)}, "nothing to rank"),
        ({"gallery": torch.ones(3, 4)}, "same model"),
        ({"gallery_ids": [1, 2]}, "must be 3 integers"),
        ({"gallery_ids": np.array([1.0, 2.0, 3.0])}, "must be 3 integers"),
        ({"gallery_ids": [1, 2, 1]}, "1 occurs twice"),
        ({"gallery_ids": [-1, 2, 1]}, "negative"),
        ({"query_ids": [1]}, "query_ids must be 2"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    fits = {"query": torch.ones(2, 2), "gallery": torch.ones(3, 2), "k": 1}
    with pytest.raises(UsageError, match=message):
        top_k_inner(**(fits | change))
