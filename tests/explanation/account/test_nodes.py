import math
from collections import namedtuple

import numpy as np
import pytest
import torch

from lookalike.explanation.account.nodes import Nodes, nodes_of
from lookalike.similarity import Graph
from lookalike.types import Embedding, Level, Tokens


def level(difference, reliability=None, edges=None):
    """The nodes of a level of which only what is given matters."""
    difference = np.array(difference, dtype=float)
    ones = np.ones_like(difference)
    return Nodes(
        name="level 1",
        difference=difference,
        reliability=ones if reliability is None else np.array(reliability, dtype=float),
        weight=ones,
        rectified=difference,
        responses=(np.zeros((len(ones), 1, 1), np.float32),) * 2,
        edges=None if edges is None else np.array(edges, dtype=np.float32),
    )


def test_neighbours_are_the_strongest_links_and_only_links():
    nodes = level([0.0, 0.0], edges=[[0.25, 0.0, 0.75, 0.0], [0, 0, 0, 0]])
    assert nodes.neighbours(0, 3) == [(2, 0.75), (0, 0.25)]
    assert nodes.neighbours(0, 1) == [(2, 0.75)]
    assert nodes.neighbours(1, 3) == level([0.0]).neighbours(0, 3) == []


@pytest.fixture
def handmade():
    """Two levels of two nodes: ω̃ is [[3/4, 1/4], [0, 1]], κ = 10, α = 2, β = −0.1 and 0.

    The numbers are (0.6, 0.8) and (0.8, 0.6) above, (1, 0) and (0, 1) below.
    """
    similarity = Graph(k=2).build(groups=2, levels=2)
    with torch.no_grad():
        similarity.alpha.fill_(2.0)
        similarity.beta.copy_(torch.tensor([[-0.1, 0.0]]))
        similarity.links.observe(torch.tensor([[[0.6, 0.2], [-0.5, 0.3]]]), images=1)
        similarity.links.settle()
    upper = [torch.tensor([[[0.6], [0.8]]]), torch.tensor([[[0.8], [0.6]]])]
    lower = [torch.tensor([[[1.0], [0.0]]]), torch.tensor([[[0.0], [1.0]]])]
    sure = [torch.tensor([[0.1, 0.2]]), torch.tensor([[0.3, 0.0]])]
    embeddings = tuple(
        Embedding((Level(lower[i], sure[i]), Level(upper[i], sure[i]))).to(torch.float64)
        for i in (0, 1)
    )
    tokens = tuple(
        # One position above; three side by side below, of which the last gives everything.
        Tokens(
            (torch.cat([torch.zeros(1, 2, 2, 1), lower[i][:, :, None]], 2), upper[i][:, :, None]),
            ((1, 3), (1, 1)),
            (sure[i], sure[i]),
        )
        for i in (0, 1)
    )
    return similarity, embeddings, tokens


Row = namedtuple("Row", "embedding tokens")


def nodes_of_pair(similarity, embeddings, tokens):
    return nodes_of(similarity.account(*map(Row, embeddings, tokens)), tokens)


def test_the_nodes_of_a_pair_by_hand(handmade):
    similarity, embeddings, tokens = handmade
    low, high = nodes_of_pair(similarity, embeddings, tokens)
    first, second = 1 / (1 + math.exp(-10 * (2 * 0.03 - 0.1))), 0.5
    reaching = [0.75 * (1 - first), 0.25 * (1 - first) + (1 - second)]
    assert (low.name, high.name) == ("level 1", "level 2")
    assert high.difference == pytest.approx([0.04, 0.04])
    assert high.reliability == pytest.approx([first, second])
    assert high.sensitivity == pytest.approx([first, second])
    assert high.rectified == pytest.approx([0.04 * first + 1 - first, 0.04 * second + 1 - second])
    assert low.difference.tolist() == [1, 1]
    assert low.reliability.tolist() == [1, 1]
    assert low.sensitivity == pytest.approx(reaching)
    assert low.contribution == pytest.approx([-x for x in reaching])
    assert high.edges == pytest.approx(np.array([[0.75, 0.25], [0, 1]]))
    assert low.edges is None
    score = low.contribution.sum() + high.contribution.sum()
    assert score == pytest.approx(float(similarity.pairs(*embeddings)))
    assert score == pytest.approx(-high.rectified.sum())


def test_responses_lie_where_the_tokens_do(handmade):
    similarity, embeddings, tokens = handmade
    low, high = nodes_of_pair(similarity, embeddings, tokens)
    assert low.responses[0].tolist() == [[[0, 0, 1]], [[0, 0, 0]]]
    assert low.responses[1].tolist() == [[[0, 0, 0]], [[0, 0, 1]]]
    assert high.responses[1] == pytest.approx(np.array([[[0.8]], [[0.6]]]))


def test_every_level_has_its_own_edges():
    similarity = Graph(k=2).build(groups=2, levels=3)
    swapped = torch.eye(2).flip(0)
    similarity.links.observe(torch.stack([torch.eye(2), swapped]), images=1)
    vectors, sure = torch.tensor([[[0.6], [0.8]]]), torch.zeros(1, 2)
    embedding = Embedding((Level(vectors, sure),) * 3).to(torch.float64)
    tokens = Tokens((vectors[:, :, None],) * 3, ((1, 1),) * 3, (sure,) * 3)
    pair = (embedding, embedding), (tokens, tokens)
    levels = nodes_of_pair(similarity, *pair)
    assert [level.neighbours(0, 1) for level in levels] == [[], [(0, 1.0)], [(1, 1.0)]]


def test_an_account_outlives_further_training(handmade):
    similarity, embeddings, tokens = handmade
    edges = nodes_of_pair(similarity, embeddings, tokens)[1].edges
    similarity.links.observe(torch.ones(1, 2, 2), images=1)
    assert edges == pytest.approx(np.array([[0.75, 0.25], [0, 1]]))
