"""Exact search with a learnt distance: the bound holds, and no result is lost by it."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.errors import LookalikeError
from lookalike.similarity import top_k
from lookalike.similarity.graph.bound import GraphBound
from lookalike.types import Embedding, Level

seeds = st.integers(0, 2**31)
alphas = st.sampled_from([0.0, 1.0, 30.0, 3000.0])


def sorted_lists(scores, k, own, ids):
    """The definition: sort by (−score, id), leave the query out by id, cut at k."""
    lists, tied = [], []
    for query, row in zip(own, scores, strict=True):
        order = sorted((-s, i) for s, i in zip(row, ids, strict=True) if i != query)
        lists.append([i for _, i in order[:k]])
        tied.append(len(order) > k and order[k - 1][0] == order[k][0])
    return lists, tied


@settings(deadline=None, max_examples=30)
@given(seed=seeds, alpha=alphas, spread=st.sampled_from([0.0, 0.01, 1.0]), levels=st.integers(1, 4))
def test_no_score_exceeds_its_bound(graph, embedding, seed, alpha, spread, levels):
    similarity = graph(seed, levels=levels, alpha=alpha)
    gallery = embedding(seed, 30, levels=levels, spread=spread)
    other = embedding(seed + 2, 30, levels=levels)
    near = Embedding(
        tuple(
            Level(level.vectors + 1e-4 * noise.vectors, level.certainty)
            for level, noise in zip(gallery.levels, other.levels, strict=True)
        )
    )
    query = Embedding.cat([gallery[:5], near[:5], embedding(seed + 1, 5, levels=levels)])
    bound = similarity.bound(query, gallery)
    scores = similarity.matrix(query, gallery)
    assert bool((bound(slice(0, 15), slice(0, 30)) >= scores).all())
    assert bool((bound(slice(3, 9), slice(11, 19)) >= scores[3:9, 11:19]).all())


def test_it_is_tight_where_certainty_does_not_vary(graph, embedding):
    similarity = graph(7)
    e = embedding(1, 20)
    same = Embedding(tuple(Level(x.vectors, x.certainty[:1].expand(20, -1)) for x in e.levels))
    bounds = similarity.bound(e, same)(slice(0, 20), slice(0, 20))
    assert torch.allclose(bounds, similarity.matrix(e, same), atol=1e-3)


@pytest.mark.parametrize("nodes", [6, 64])
def test_it_heeds_rounding(graph, embedding, nodes):
    """Where certainty does not vary, bound and distance are one number, rounded in two ways."""
    similarity = graph(7, nodes=nodes)
    e = embedding(1, 60, nodes=nodes)
    e = Embedding(tuple(Level(x.vectors, x.certainty[:1].expand(60, -1)) for x in e.levels))
    everything, scores = (slice(0, 60), slice(0, 60)), similarity.matrix(e, e)
    bound = similarity.bound(e, e)
    assert bool((bound(*everything) >= scores).all())
    bound._of_sums, bound._shrink, bound._of_reliability = 0.0, 1.0, 0.0
    assert not bool((bound(*everything) >= scores).all())


@settings(deadline=None, max_examples=30)
@given(
    seed=seeds,
    alpha=alphas,
    k=st.integers(1, 4),
    block=st.sampled_from([16, 64, 4096]),
    copies=st.integers(0, 12),
    random=st.randoms(),
)
def test_search_equals_sorting(graph, embedding, seed, alpha, k, block, copies, random):
    similarity = graph(seed, alpha=alpha)
    e = embedding(seed, 33)
    e = Embedding.cat([e, *[e[3:5]] * copies])  # ties: as many twins as the list is long, or more
    ids = random.sample(range(1000), len(e))
    found = top_k(similarity, e, e, k, query_ids=ids, gallery_ids=ids, block=block)
    scores = similarity.matrix(e, e)
    lists, tied = sorted_lists(scores.tolist(), k, ids, ids)
    assert found.ids.tolist() == lists
    assert found.tied.tolist() == tied
    place = {id_: column for column, id_ in enumerate(ids)}
    for row, listed in enumerate(lists):
        assert found.scores[row].tolist() == [scores[row, place[i]].item() for i in listed]


@pytest.mark.parametrize("k", [1, 5, 20, 200])
def test_two_sets_and_long_lists(graph, embedding, k):
    similarity = graph(5)
    query, gallery = embedding(1, 9), embedding(2, 120)
    found = top_k(similarity, query, gallery, k)
    lists, _ = sorted_lists(similarity.matrix(query, gallery).tolist(), k, [None] * 9, range(120))
    assert found.ids.tolist() == lists


def test_most_pairs_are_never_scored(graph, embedding, monkeypatch):
    similarity = graph(5, nodes=32, k=8)
    centres, noise = embedding(1, 20, nodes=32), embedding(2, 400, nodes=32, spread=0.1)
    e = Embedding(
        tuple(
            Level(
                centre.vectors.repeat(20, 1, 1) + 0.3 * own.vectors,
                centre.certainty.repeat(20, 1) * 0.1 + own.certainty,
            )
            for centre, own in zip(centres.levels, noise.levels, strict=True)
        )
    )
    lists, _ = sorted_lists(similarity.matrix(e, e).tolist(), 5, range(400), range(400))
    scored = []
    monkeypatch.setattr(similarity, "matrix", lambda a, b: pytest.fail("all were scored"))
    pairs = similarity.pairs
    monkeypatch.setattr(similarity, "pairs", lambda a, b: scored.append(len(a)) or pairs(a, b))
    found = top_k(similarity, e, e, 5, query_ids=range(400))
    assert found.ids.tolist() == lists
    assert sum(scored) < 400 * 400 / 5


def test_a_bound_too_low_would_lose_results(graph, embedding, monkeypatch):
    similarity, e = graph(5), embedding(1, 100)
    lists = top_k(similarity, e, e, 3, query_ids=range(100)).ids
    call = GraphBound.__call__
    monkeypatch.setattr(GraphBound, "__call__", lambda self, *tile: 3 * call(self, *tile))
    assert not torch.equal(top_k(similarity, e, e, 3, query_ids=range(100)).ids, lists)


def test_scores_must_be_finite(graph, embedding):
    similarity, gallery = graph(5), embedding(1, 40)
    query = embedding(2, 4)
    query.levels[1].vectors[2] = torch.nan
    with pytest.raises(LookalikeError, match="query 2 is not finite"):
        top_k(similarity, query, gallery, 1)
    with pytest.raises(LookalikeError, match="query 2 is not finite"):
        top_k(similarity, query, gallery, 39)
