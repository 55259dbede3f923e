"""Graphs with random parameters, and embeddings for them."""

import pytest
import torch
from torch.nn.functional import normalize

from lookalike.similarity import Graph
from lookalike.types import Embedding, Level


def make_graph(seed, *, levels=3, nodes=6, k=4, alpha=1.0, dtype=torch.float32):
    generator = torch.Generator().manual_seed(seed)
    similarity = Graph(k=k).build(nodes, levels).to(dtype)
    with torch.no_grad():
        similarity.alpha.normal_(generator=generator).mul_(alpha)
        similarity.beta.normal_(generator=generator).mul_(0.2)
    if levels > 1:
        links = torch.randn(levels - 1, nodes, nodes, generator=generator)
        similarity.links.observe(links, images=1)
        similarity.settle()
    return similarity


def make_embedding(seed, n, *, levels=3, nodes=6, spread=1.0, dtype=torch.float32):
    """Random nodes; certainties between 0 and `spread`."""
    generator = torch.Generator().manual_seed(seed)
    return Embedding(
        tuple(
            Level(
                normalize(torch.randn(n, nodes, 1, generator=generator, dtype=dtype), dim=1),
                torch.rand(n, nodes, generator=generator, dtype=dtype) * spread,
            )
            for _ in range(levels)
        )
    )


@pytest.fixture(scope="session")
def graph():
    return make_graph


@pytest.fixture(scope="session")
def embedding():
    return make_embedding
