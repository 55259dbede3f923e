import pytest
import torch
from torch.nn.functional import normalize

from lookalike.losses import pairs_within
from lookalike.protocols import PairScores


@pytest.fixture
def scores_of():
    """Score raw n×g×d vectors against themselves, every row another picture."""

    def score(vectors, labels):
        unit = normalize(vectors, dim=-1)
        cosines = torch.einsum("ngd,mgd->gnm", unit, unit)
        labels = torch.as_tensor(labels)
        positive, negative = pairs_within(labels, torch.arange(len(labels)))
        return PairScores(cosines, positive, negative, labels, dim=unit.shape[2])

    return score


@pytest.fixture
def random_vectors():
    """n×g×d normal numbers in float64 from a seed."""

    def draw(n, g, d, *, seed=0):
        generator = torch.Generator().manual_seed(seed)
        return torch.randn(n, g, d, generator=generator, dtype=torch.float64)

    return draw
