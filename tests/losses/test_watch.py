import math

import pytest
import torch

from lookalike.losses import spread
from lookalike.types import Embedding


def test_against_singular_values_and_all_pairs():
    vectors = torch.randn(9, 2, 3, generator=torch.Generator().manual_seed(0))
    flat = torch.nn.functional.normalize(vectors.flatten(1).double(), dim=1)
    singular = torch.linalg.svdvals(flat)
    shares = (singular / singular.sum()).tolist()
    measured = spread(Embedding.of(vectors))
    assert measured.effective_rank == pytest.approx(
        math.exp(-sum(p * math.log(p) for p in shares)), rel=1e-6
    )
    assert measured.mean_distance == pytest.approx(float(torch.pdist(flat).mean()))


def test_collapsed_and_zero():
    collapsed = spread(Embedding.of(torch.ones(6, 4)))
    assert collapsed.mean_distance == pytest.approx(0, abs=1e-6)
    assert collapsed.effective_rank == pytest.approx(1, abs=1e-4)
    nothing = spread(Embedding.of(torch.zeros(6, 4)))
    assert (nothing.mean_distance, nothing.effective_rank) == (0, 1)


def test_numbers_that_are_not_finite_are_reported_as_such():
    broken = spread(Embedding.of(torch.tensor([[1.0, 0.0], [torch.nan, 1.0]])))
    assert math.isnan(broken.mean_distance)
    assert math.isnan(broken.effective_rank)


def test_a_single_picture_has_no_distance():
    alone = spread(Embedding.of(torch.ones(1, 4)))
    assert math.isnan(alone.mean_distance)
    assert alone.effective_rank == pytest.approx(1)
