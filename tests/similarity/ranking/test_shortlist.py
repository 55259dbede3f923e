"""Approximate search: exact among its candidates."""

import pytest
import torch

from lookalike.errors import UsageError
from lookalike.similarity import Cosine, top_k, top_k_candidates
from lookalike.types import Embedding


@pytest.mark.parametrize("given", [None, [5 * i % 61 for i in range(60)]])
def test_with_all_as_candidates_it_is_exact(graph, embedding, given):
    similarity, e = graph(3), embedding(1, 50)
    e = Embedding.cat([e, e[:10]])
    query_ids = range(60) if given is None else given
    for k in (1, 7, 59):
        exact = top_k(similarity, e, e, k, query_ids=query_ids, gallery_ids=given)
        found = top_k_candidates(
            similarity, e, e, k, shortlist=60, query_ids=query_ids, gallery_ids=given
        )
        assert torch.equal(found.ids, exact.ids)
        assert torch.equal(found.scores, exact.scores)
        assert torch.equal(found.tied, exact.tied)


def test_a_short_list_finds_most(graph, embedding):
    similarity, e = graph(3, nodes=32, k=8, alpha=0.1), embedding(1, 300, nodes=32, spread=0.1)
    exact = top_k(similarity, e, e, 5, query_ids=range(300))
    found = top_k_candidates(similarity, e, e, 5, shortlist=20, query_ids=range(300))
    shared = [
        len(set(x) & set(y)) for x, y in zip(found.ids.tolist(), exact.ids.tolist(), strict=True)
    ]
    assert sum(shared) / 1500 > 0.99
    best = similarity.pairs(e, e[found.ids[:, 0]])
    assert torch.equal(found.scores[:, 0], best)


def test_only_the_shortlist_is_scored(graph, embedding, monkeypatch):
    similarity, e = graph(3), embedding(1, 30)
    scored = []
    pairs = similarity.pairs
    monkeypatch.setattr(similarity, "pairs", lambda a, b: scored.append(len(a)) or pairs(a, b))
    top_k_candidates(similarity, e, e, 2, shortlist=3, query_ids=range(30))
    assert scored == [90]


def test_what_does_not_fit_is_refused(graph, embedding):
    e = embedding(1, 5)
    with pytest.raises(UsageError, match="at least k = 4"):
        top_k_candidates(graph(1), e, e, 4, shortlist=3)
    plain = Embedding.of(torch.eye(4))
    with pytest.raises(UsageError, match="has no candidates"):
        top_k_candidates(Cosine(weights=(-1.0,)).build(1), plain, plain, 1)
