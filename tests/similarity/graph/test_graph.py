"""The graph's similarity: its special cases, what the losses read, and what is refused."""

import pytest
import torch

from lookalike.config import parse
from lookalike.errors import ConfigError
from lookalike.similarity import Cosine, Graph, GraphSimilarity, SimilarityConfig
from lookalike.similarity.graph import graph as graph_module
from lookalike.types import Embedding, Level


def recursion(similarity, differences, a, b):
    """Return d̂ of one pair, node by node from the bottom up, with the history of everything."""
    kappa, (r, k) = similarity.config.kappa, (similarity.nodes, similarity.config.k)
    below = list(differences[0])
    for level in range(1, similarity.levels):
        here = []
        for i in range(r):
            links = similarity.links.running[level - 1, i].clamp(min=0)
            strong = links.argsort(descending=True)[:k]
            total = sum(links[j] for j in strong) + 1e-8
            heard = sum(links[j] / total * below[j] for j in strong)
            eta = a.levels[level].certainty[0, i] * b.levels[level].certainty[0, i]
            alpha, beta = similarity.alpha[level - 1, i], similarity.beta[level - 1, i]
            p = 1 / (1 + torch.exp(-kappa * (alpha * eta + beta)))
            here.append(p * differences[level][i] + (1 - p) * heard)
        below = here
    return sum(below)


def differences(a, b):
    return [
        ((x.vectors - y.vectors) ** 2)[0, :, 0] for x, y in zip(a.levels, b.levels, strict=True)
    ]


@pytest.mark.parametrize("levels", [1, 2, 3, 4])
@torch.no_grad()
def test_all_agree_with_the_recursion(graph, embedding, levels):
    similarity = graph(levels, levels=levels, dtype=torch.float64)
    a = embedding(1, 5, levels=levels, dtype=torch.float64)
    b = embedding(2, 7, levels=levels, dtype=torch.float64)
    expected = torch.tensor(
        [
            [-recursion(similarity, differences(a[i], b[j]), a[i], b[j]) for j in range(7)]
            for i in range(5)
        ]
    )
    assert torch.allclose(similarity.matrix(a, b), expected, rtol=1e-12)
    assert torch.allclose(similarity.pairs(a, b[:5]), expected.diagonal(), rtol=1e-12)
    parts = similarity.parts(a, b[:5])
    assert torch.allclose(parts.values.sum(1), expected.diagonal(), rtol=1e-12)
    assert parts.names[0] == "level 1, node 0"
    assert parts.names[-1] == f"level {levels}, node 5"
    final = 1 - similarity.cosines(a, b)[-1]
    assert torch.allclose(-2 * final, expected, rtol=1e-12)
    rectified = similarity.trace(a, b[:5])[-1].rectified.sum(1)
    assert torch.allclose(-rectified, expected.diagonal(), rtol=1e-12)


def test_sensitivity_is_the_derivative(graph, embedding):
    similarity = graph(3, dtype=torch.float64)
    a, b = (embedding(seed, 1, dtype=torch.float64) for seed in (4, 5))
    given = [level.requires_grad_() for level in differences(a, b)]
    recursion(similarity, given, a, b).backward()
    for level, found in zip(given, similarity.sensitivity(a, b), strict=True):
        assert torch.allclose(found[0], level.grad, rtol=1e-10)


def test_one_level_is_the_squared_euclidean_distance(graph, embedding):
    similarity = graph(0, levels=1)
    a, b = embedding(1, 9, levels=1), embedding(2, 4, levels=1)
    x, y = a.flat(), b.flat()
    assert torch.equal(similarity.matrix(a, b), -(x[:, None] - y[None]).square().sum(2))
    assert torch.allclose(similarity.matrix(a, b), -torch.cdist(x, y).square(), atol=1e-6)
    bare = Embedding((Level(a.levels[0].vectors),))  # nobody asks for the lowest certainty
    assert torch.equal(similarity.pairs(bare, bare), torch.zeros(9))
    cosines = similarity.cosines(bare, bare)
    assert torch.allclose(cosines[0], cosines[1], atol=1e-6)
    similarity.observe(bare)
    similarity.settle()


@pytest.mark.parametrize("pairs", [1, 7, 64, 1000])
def test_blocks_do_not_matter_and_equal_pairs_tie(graph, embedding, pairs, monkeypatch):
    similarity = graph(1, nodes=40, k=9)
    e = embedding(6, 30, nodes=40)
    e = Embedding.cat([e, e[:11]])
    whole = similarity.matrix(e, e)
    assert torch.equal(whole[:, 30:], whole[:, :11])
    assert torch.equal(whole.diagonal(), torch.zeros(41))
    monkeypatch.setattr(graph_module, "PAIRS", pairs)
    assert torch.equal(similarity.matrix(e, e), whole)
    rows = torch.arange(41).repeat_interleave(41)
    columns = torch.arange(41).repeat(41)
    assert torch.equal(similarity.pairs(e[rows], e[columns]).view(41, 41), whole)


def test_nobody_scores_nothing(graph, embedding):
    similarity, e = graph(1), embedding(1, 3)
    assert similarity.matrix(e[:0], e).shape == (0, 3)
    assert similarity.matrix(e, e[:0]).shape == (3, 0)
    assert similarity.pairs(e[:0], e[:0]).shape == (0,)
    assert similarity.parts(e[:0], e[:0]).values.shape == (0, 18)


def test_without_links_an_unreliable_node_is_not_replaced(embedding):
    similarity = Graph().build(6, 2)
    with torch.no_grad():
        similarity.beta.fill_(-0.1)
    e = embedding(1, 2, levels=2, spread=0.0)
    top = differences(e[:1], e[1:])[1].sum()
    expected = -top / (1 + torch.e)  # sigmoid(−1)
    assert similarity.pairs(e[:1], e[1:]).item() == pytest.approx(expected.item(), rel=1e-6)


def test_half_precision_is_scored_in_full(graph, embedding):
    similarity = graph(1)
    half = embedding(1, 4).to(torch.float16)
    assert torch.equal(
        similarity.matrix(half, half), similarity.matrix(*[half.to(torch.float32)] * 2)
    )


class TestWhatTheLossesRead:
    def test_a_matrix_for_each_level_and_the_final_one(self, graph, embedding):
        similarity = graph(2)
        a, b = embedding(1, 4), embedding(2, 5)
        cosines = similarity.cosines(a, b)
        assert cosines.shape == (similarity.matrices, 4, 5) == (4, 4, 5)
        for level, (x, y) in enumerate(zip(a.levels, b.levels, strict=True)):
            squared = (x.vectors[:, None] - y.vectors[None]).square().sum((2, 3))
            assert torch.allclose(2 - 2 * cosines[level], squared, atol=1e-6)
        assert torch.allclose(2 - 2 * cosines[3], -similarity.matrix(a, b), atol=1e-6)

    def test_the_final_one_trains_reliability_alone(self, graph, embedding):
        similarity = graph(2)
        e = embedding(1, 5)
        leaves = [
            (level.vectors.requires_grad_(), level.certainty.requires_grad_()) for level in e.levels
        ]
        *levels, final = similarity.cosines(e, e)
        final.square().sum().backward(retain_graph=True)
        assert not any(vectors.grad.any() for vectors, _ in leaves)
        assert all(certainty.grad is None for _, certainty in leaves)
        assert bool((similarity.alpha.grad != 0).all())
        assert bool((similarity.beta.grad != 0).all())
        similarity.zero_grad(set_to_none=False)
        torch.stack(levels).square().sum().backward()
        assert all(vectors.grad.any() for vectors, _ in leaves)
        assert all(certainty.grad is None for _, certainty in leaves)
        assert not similarity.alpha.grad.any()

    @pytest.mark.parametrize("pairs", [1, 12, 10_000])
    def test_its_gradient_is_that_of_the_recursion(self, graph, embedding, pairs, monkeypatch):
        monkeypatch.setattr(graph_module, "TRAINED_PAIRS", pairs)
        similarity = graph(3, nodes=4, k=3, dtype=torch.float64)
        a, b = (embedding(seed, 3, nodes=4, dtype=torch.float64) for seed in (1, 2))
        weights = torch.randn(3, 3, generator=torch.Generator().manual_seed(0)).double()
        parameters = [similarity.alpha, similarity.beta]
        found = torch.autograd.grad((similarity.cosines(a, b)[-1] * weights).sum(), parameters)
        value = sum(
            -weights[i, j] / 2 * recursion(similarity, differences(a[i], b[j]), a[i], b[j])
            for i in range(3)
            for j in range(3)
        )
        expected = torch.autograd.grad(value, parameters)
        for one, other in zip(found, expected, strict=True):
            assert torch.allclose(one, other, rtol=1e-10)

    def test_proxies_are_as_certain_as_the_batch_on_average(self, graph, embedding):
        similarity = graph(2)
        batch, proxies = embedding(1, 4), embedding(2, 3)
        bare = Embedding(tuple(Level(level.vectors) for level in proxies.levels))
        mean = Embedding(
            tuple(
                Level(proxy.vectors, level.certainty.mean(0).expand(3, -1))
                for proxy, level in zip(proxies.levels, batch.levels, strict=True)
            )
        )
        assert torch.equal(similarity.cosines(batch, bare), similarity.cosines(batch, mean))


def test_candidates_are_the_distance_where_nothing_is_certain(graph, embedding):
    similarity = graph(4)
    a, b = embedding(1, 5, spread=0.0), embedding(2, 6, spread=0.0)
    x, y = similarity.candidates(a), similarity.candidates(b)
    assert x.shape == (5, 18)
    assert torch.allclose(torch.cdist(x, y).square(), -similarity.matrix(a, b), atol=1e-5)


def test_the_config_is_told_by_its_kind():
    found = parse(SimilarityConfig, {"kind": "graph", "k": 7, "momentum": 0})
    assert found == Graph(k=7, momentum=0.0)
    assert isinstance(found.build(8, 2), GraphSimilarity)
    with pytest.raises(ConfigError, match="kappa"):
        parse(SimilarityConfig, {"kind": "graph", "kappa": 0})
    with pytest.raises(ConfigError, match="2 levels need the kind graph"):
        Cosine().build(8, 2)


def test_what_does_not_fit_is_refused(graph, embedding):
    similarity = graph(1)
    with pytest.raises(ValueError, match="3 levels of 6 nodes"):
        similarity.matrix(embedding(1, 2, levels=2), embedding(1, 2, levels=2))
    with pytest.raises(ValueError, match="3 levels of 6 nodes"):
        similarity.pairs(*[Embedding.of(torch.ones(2, 18))] * 2)
    bare = Embedding(tuple(Level(level.vectors) for level in embedding(1, 2).levels))
    with pytest.raises(ValueError, match="needs the certainty"):
        similarity.matrix(bare, bare)
    with pytest.raises(ValueError, match="in train mode"):
        similarity.observe(embedding(1, 2))
