"""One pair's score in all its splits, against the similarity's own, node by node."""

from collections import namedtuple

import numpy as np
import pytest
import torch

from lookalike.explanation.account.splitting import split

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
    return split(model.similarity, *(Row(each.embedding(), each) for each in tokens))


def test_a_graph_is_split_as_its_nodes_are_added_up_by_level(model, tokens):
    tokens = exactly(tokens)
    found = split_of(model, tokens)
    parts = model.similarity.parts(*(each.embedding() for each in tokens)).values.view(3, -1)
    assert [group.name for group in found.groups] == ["level 1", "level 2", "level 3"]
    np.testing.assert_allclose([group.value for group in found.groups], parts.sum(1), atol=1e-12)
    maps = model.similarity.maps(*tokens)
    for ours, nodes in zip(found.maps, (maps.a, maps.b), strict=True):
        np.testing.assert_allclose(ours, nodes[0].unflatten(0, (3, -1)).sum(1), atol=1e-12)
    assert found.together
    np.testing.assert_allclose(found.regions, model.similarity.regions(*tokens)[0], atol=1e-12)
    assert [len(level) for level in found.nodes] == [12, 12, 12]


def test_single_precision_is_enough_for_the_positions_of_a_graph(model, tokens):
    found, exact = split_of(model, tokens), split_of(model, exactly(tokens))
    assert found.regions.dtype == found.maps[0].dtype == np.float64
    for ours, expected in (
        *zip(found.maps, exact.maps, strict=True),
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
    np.testing.assert_allclose([group.value for group in found.groups], parts.values[0], atol=1e-12)
    assert [group.name for group in found.groups] == ["group 0", "group 1"]
    np.testing.assert_array_equal(found.maps[0], maps.a[0])
    np.testing.assert_array_equal(found.maps[1], maps.b[0])
    np.testing.assert_array_equal(found.regions, plain.similarity.regions(a, b)[0])
    assert not found.together
    assert found.nodes == ()
