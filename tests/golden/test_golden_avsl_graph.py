"""The graph's distance and links against the released implementation's numbers."""

from pathlib import Path

import numpy as np
import pytest
import torch

from lookalike.similarity import Graph
from lookalike.types import Embedding, Level

LEVELS = range(3)


@pytest.fixture(scope="module")
def golden():
    with np.load(Path(__file__).parent / "avsl.npz") as file:
        return {name: torch.from_numpy(file[name]) for name in file.files}


def embedding(golden, batch, *, links=None):
    levels = []
    for level in LEVELS:
        raw = golden[f"embedding{batch}_{level}"]
        certainty = golden[f"certainty{batch}_rowwise_min_{level}"]
        link = golden[f"batch{batch}_link_{level - 1}to{level}"].T if links and level else None
        levels.append(Level((raw / raw.norm(dim=1, keepdim=True))[..., None], certainty, link))
    return Embedding(tuple(levels))


@pytest.fixture
def similarity(golden):
    config = Graph(
        k=int(golden["top_k"]),
        kappa=float(golden["reliability_scale"]),
        momentum=float(golden["momentum"]),
    )
    graph = config.build(10, 3).double()
    with torch.no_grad():
        for level in (1, 2):
            graph.alpha[level - 1] = golden[f"reliability_coef_{level}"]
            graph.beta[level - 1] = golden[f"reliability_bias_{level}"]
    return graph


def close(found, expected):
    return torch.allclose(found, expected, rtol=1e-9, atol=1e-12)


def running(golden, name):
    return torch.stack([golden[f"{name}_{level}to{level + 1}"].T for level in (0, 1)])


def test_links_after_each_update(golden, similarity):
    for batch, name in (("", "link_after_one_update"), ("2", "link_after_two_updates")):
        similarity.observe(embedding(golden, batch, links=True))
        similarity.settle()
        assert close(similarity.links.running, running(golden, name))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_distances(golden, similarity, dtype):
    first, second = embedding(golden, "", links=True), embedding(golden, "2", links=True)
    similarity.to(dtype)
    tolerance = {"rtol": 1e-9, "atol": 1e-12} if dtype == torch.float64 else {"rtol": 1e-5}
    similarity.observe(first)  # a training batch is scored with its own links
    *levels, final = 2 - 2 * similarity.cosines(first.to(dtype), first.to(dtype)).double()
    off = ~torch.eye(5, dtype=torch.bool)  # 2 − 2 cos is zero on the diagonal up to rounding
    for level in LEVELS:
        expected = golden[f"train_distance_level_{level}"]
        assert torch.allclose(levels[level][off], expected[off], **tolerance)
    assert torch.allclose(final[off], golden["train_distance_final"][off], **tolerance)
    similarity.settle()
    similarity.observe(second)
    similarity.settle()
    scores = similarity.matrix(first.to(dtype), second.to(dtype)).double()
    assert torch.allclose(-scores, golden["eval_distance_first_vs_second"], **tolerance)
