"""Whatever the batch, the value and the gradients are finite."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.losses import (
    BinomialDeviance,
    Contrastive,
    Diversity,
    Margin,
    ObjectiveConfig,
    ProxyAnchor,
)
from lookalike.similarity import Cosine
from lookalike.types import Embedding

CLASSES = 4
LOSSES = [
    Contrastive(),
    Contrastive(squared=True),
    Contrastive(pairs="triplets"),
    BinomialDeviance(keep_self_pairs=True),
    Margin(),
    Margin(divide_by="active_triplets"),
    ProxyAnchor(),
]


@st.composite
def batches(draw):
    """Vectors with identical, opposite, zero, tiny and huge rows; any labels; ids that repeat."""
    n, g, d = draw(st.integers(1, 7)), draw(st.integers(1, 3)), draw(st.integers(1, 5))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 99)))
    vectors = torch.randn(n, g, d, generator=generator)
    if draw(st.booleans()):
        vectors = vectors[:1].repeat(n, 1, 1)
    scales = st.sampled_from([1.0, -1.0, 0.0, 1e-30, 1e-6, 1e6, 1e18, 1e30])
    vectors = vectors * torch.tensor(draw(st.lists(scales, min_size=n, max_size=n)))[:, None, None]
    codes = st.lists(st.integers(0, CLASSES - 1), min_size=n, max_size=n)
    return vectors, torch.tensor(draw(codes)), torch.tensor(draw(codes))


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.kind)
@pytest.mark.parametrize("autocast", [None, torch.bfloat16])
@given(batch=batches(), seed=st.integers(0, 99))
@settings(max_examples=20, deadline=None)
def test_value_and_gradients_are_finite(loss, autocast, batch, seed):
    vectors, labels, ids = batch
    leaf = vectors.clone().requires_grad_()
    _, groups, dim = vectors.shape
    config = ObjectiveConfig(loss=loss, diversity=Diversity(weight=1.0))
    objective = config.build(Cosine().build(groups), classes=CLASSES, groups=groups, dim=dim)
    with torch.autocast("cpu", dtype=autocast, enabled=autocast is not None):
        result = objective(
            Embedding.of(leaf), labels, ids, generator=torch.Generator().manual_seed(seed)
        )
    result.value.backward()
    assert bool(torch.isfinite(result.value))
    assert bool(torch.isfinite(leaf.grad).all())
    assert all(bool(torch.isfinite(p.grad).all()) for p in objective.parameters())
    assert all(bool(torch.isfinite(term)) for term in result.terms.values())
