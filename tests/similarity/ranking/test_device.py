"""The path for vectors on a GPU gives what the path on the CPU gives, bit for bit, ties included.

It is run here on the CPU, on numbers whose products are exact in float32.
"""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.errors import LookalikeError
from lookalike.similarity import Cosine, top_k, top_k_inner
from lookalike.similarity.ranking import score_tiles
from lookalike.similarity.ranking import top_k as module
from lookalike.similarity.ranking.running_best import DeviceBest, RunningBest
from lookalike.types import Embedding


@pytest.fixture
def device(monkeypatch):
    """Call a function as if its tensors were on a GPU."""

    def call(function, *arguments, **settings):
        with monkeypatch.context() as patch:
            patch.setattr(module, "on_host", lambda tensor: False)
            patch.setattr(module, "product_tiles", lambda *_, **__: pytest.fail("NumPy was used"))
            return function(*arguments, **settings)

    return call


def same(found, expected):
    return all(
        torch.equal(getattr(found, name), getattr(expected, name))
        for name in ("ids", "scores", "tied")
    )


def integers(seed, rows, columns):
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(-2, 3, (rows, columns), generator=generator).float()


@pytest.mark.parametrize("block", [1, 5, 64, 4096])
@pytest.mark.parametrize("k", [1, 7, 60])
def test_inner_products_with_ties_copies_and_ids_in_no_order(device, block, k):
    for seed in range(4):
        x, y = integers(seed, 40, 3), integers(seed + 10, 70, 3)
        ids = torch.randperm(1000, generator=torch.Generator().manual_seed(seed))
        within = {"query_ids": ids[:40], "gallery_ids": ids[:40], "block": block}
        assert same(device(top_k_inner, x, x, k, **within), top_k_inner(x, x, k, **within))
        across = {"query_ids": ids[20:60], "gallery_ids": ids[:70], "block": block}
        found, expected = device(top_k_inner, x, y, k, **across), top_k_inner(x, y, k, **across)
        assert same(found, expected)
        assert bool(expected.tied.any())


def test_any_similarity(device):
    vectors = integers(0, 90, 4)
    similarity, e = Cosine(weights=(1.0, -1.0)).build(2), Embedding.of(vectors.view(90, 2, 2))
    settings = {"query_ids": range(90), "block": 32}
    assert same(
        device(top_k, similarity, e, e, 9, **settings), top_k(similarity, e, e, 9, **settings)
    )


@settings(deadline=None, max_examples=60)
@given(
    scores=st.lists(
        st.lists(
            st.sampled_from([-np.inf, -3e38, -1.0, -0.0, 0.0, 1e-45, 2.0]), min_size=12, max_size=12
        ),
        min_size=1,
        max_size=5,
    ),
    k=st.integers(1, 14),
    cut=st.integers(1, 11),
)
def test_the_running_lists_are_the_same(scores, k, cut):
    tile = torch.tensor(scores, dtype=torch.float32)
    host, device = RunningBest(len(tile), k), DeviceBest(len(tile), k, tile.device)
    for best in (host, device):
        best.see(0, 0, tile[:, :cut])
        best.see(0, cut, tile[:, cut:])
    for ours, theirs in zip(device.ranked(), host.ranked(), strict=True):
        assert np.array_equal(ours, theirs)


def test_tiles_are_products_of_one_size(monkeypatch):
    shapes = set()
    multiply = torch.Tensor.__matmul__

    def record(a, b):
        shapes.add((tuple(a.shape), tuple(b.shape)))
        return multiply(a, b)

    monkeypatch.setattr(torch.Tensor, "__matmul__", record)
    x, y = integers(0, 150, 3), integers(1, 90, 3)
    tiles = list(score_tiles.device_product_tiles(x, y, 64))
    assert shapes == {((64, 3), (3, 64))}
    whole = torch.empty(150, 90)
    for row, column, scores in tiles:
        whole[row : row + scores.shape[0], column : column + scores.shape[1]] = scores
    assert torch.equal(whole, multiply(x, y.T))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_scores_must_be_finite(device, bad):
    x = torch.ones(70, 2)
    x[65] = bad
    with pytest.raises(LookalikeError, match="query 0 is not finite"):
        device(top_k_inner, x, x, 1, query_ids=range(70))


@pytest.mark.gpu
def test_on_a_gpu_the_lists_are_those_of_the_cpu():
    x = integers(0, 500, 8)
    found = top_k_inner(x.cuda(), x.cuda(), 20, query_ids=range(500), block=128)
    assert same(found, top_k_inner(x, x, 20, query_ids=range(500)))
