"""One pair's score in all its splits, against the similarity's own, node by node."""

from collections import namedtuple

import numpy as np
import pytest
import torch

Row = namedtuple("Row", "embedding tokens")


@pytest.fixture
def model(graph_of):
    return graph_of(0, 1, 2)


@pytest.fixture
def tokens(model, noise):
    return model.tokens([noise(0)]), model.tokens([noise(1, 40, 70)])


def exactly(tokens):
    return tuple(each.to(torch.float64) for each in tokens)


def split_of(model, tokens):
    """Split the score of the embeddings that tokens make."""
    return model.similarity.account(*(Row(each.embedding(), each) for each in tokens))


def test_a_graph_is_split_as_its_nodes_are_added_up_by_level(model, tokens):
    tokens = exactly(tokens)
    found = split_of(model, tokens)
    parts = model.similarity.parts(*(each.embedding() for each in tokens)).values.view(3, -1)
    assert found.groups == ("level 1", "level 2", "level 3")
    np.testing.assert_allclose(found.values[0], parts.sum(1), atol=1e-12)
    maps = model.similarity.maps(*tokens)
    for ours, nodes in ((found.maps.a, maps.a), (found.maps.b, maps.b)):
        np.testing.assert_allclose(ours[0], nodes[0].unflatten(0, (3, -1)).sum(1), atol=1e-12)
    assert found.maps.together
    np.testing.assert_allclose(found.regions, model.similarity.regions(*tokens), atol=1e-12)
    assert [level.difference.shape for level in found.nodes] == [(1, 12)] * 3


def test_single_precision_is_enough_for_the_positions_of_a_graph(model, tokens):
    found, exact = split_of(model, tokens), split_of(model, exactly(tokens))
    for ours, expected in (
        (found.maps.a, exact.maps.a),
        (found.maps.b, exact.maps.b),
        (found.regions, exact.regions),
    ):
        np.testing.assert_allclose(ours, expected, atol=1e-7)
        np.testing.assert_allclose(ours.sum(), expected.sum(), atol=1e-6)


def test_a_graph_is_traced_once(model, tokens, monkeypatch):
    traced = []
    trace = model.similarity.trace
    monkeypatch.setattr(model.similarity, "trace", lambda a, b: traced.append(a) or trace(a, b))
    split_of(model, tokens)
    assert [each.levels[0].vectors.dtype for each in traced] == [torch.float64]


def test_other_similarities_are_split_in_double_precision(plain, noise):
    tokens = plain.tokens([noise(0)]), plain.tokens([noise(1)])
    found = split_of(plain, tokens)
    a, b = exactly(tokens)
    maps = plain.similarity.maps(a, b)
    parts = plain.similarity.parts(*(each.embedding().to(torch.float64) for each in tokens))
    np.testing.assert_allclose(found.values, parts.values, atol=1e-12)
    assert found.groups == ("group 0", "group 1")
    np.testing.assert_array_equal(found.maps.a, maps.a)
    np.testing.assert_array_equal(found.maps.b, maps.b)
    np.testing.assert_array_equal(found.regions, plain.similarity.regions(a, b))
    assert not found.maps.together
    assert found.nodes == ()
