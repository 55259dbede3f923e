import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.losses import Margin, Triplets, pairs_within, sample_triplets
from lookalike.protocols import LossShape, PairScores


def naive(distances, triplets, labels, boundary, *, margin, divide_by):
    """The definition, one triplet at a time."""
    total = 0.0
    for group, matrix in enumerate(distances.tolist()):
        cost, count = 0.0, 0
        for a, p, n, valid in zip(
            triplets.anchor[group].tolist(),
            triplets.positive[group].tolist(),
            triplets.negative[group].tolist(),
            triplets.valid[group].tolist(),
            strict=True,
        ):
            edge = float(boundary[group, labels[a]])
            pull = max(0.0, matrix[a][p] - edge + margin)
            push = max(0.0, edge - matrix[a][n] + margin)
            if valid:
                cost += pull + push
                terms = (pull > 0) + (push > 0)
                count += terms if divide_by == "active_terms" else terms > 0
        total += cost / max(count, 1)
    return total / len(distances)


@pytest.mark.parametrize("divide_by", ["active_terms", "active_triplets"])
@given(seed=st.integers(0, 1000), groups=st.integers(1, 3), width=st.floats(0, 0.5))
@settings(max_examples=20, deadline=None)
def test_against_a_naive_rewrite(divide_by, seed, groups, width):
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(0, 4, (7,), generator=generator)
    unit = torch.nn.functional.normalize(torch.randn(7, groups, 3, generator=generator), dim=-1)
    cosines = torch.einsum("ngd,mgd->gnm", unit, unit)
    positive, negative = pairs_within(labels, torch.arange(7))
    scores = PairScores(cosines, positive, negative, labels, dim=3)
    boundary = torch.rand(groups, 4, generator=generator) + 0.5
    triplets = sample_triplets(scores, generator=generator)
    expected = naive(
        scores.distances(), triplets, labels, boundary, margin=width, divide_by=divide_by
    )
    loss = Margin(margin=width, divide_by=divide_by).of_triplets(scores, triplets, boundary)
    actual = loss.per_matrix.mean()
    assert float(actual) == pytest.approx(expected, rel=1e-4, abs=1e-6)


def test_reports_the_share_of_active_terms(scores_of):
    scores = scores_of(torch.tensor([[[1.0, 0.0]], [[1.0, 0.0]], [[-1.0, 0.0]]]), [0, 0, 1])
    triplets = Triplets(
        torch.tensor([[0, 1, 2]]),
        torch.tensor([[1, 0, 0]]),
        torch.tensor([[2, 2, 0]]),
        torch.tensor([[True, True, False]]),
    )
    settled = Margin().of_triplets(scores, triplets, torch.full((1, 2), 1.2))
    assert (float(settled.per_matrix), float(settled.terms["active"])) == (0, 0)
    # an edge of 2.1 leaves the negatives, at 2, inside: two terms of four
    half = Margin().of_triplets(scores, triplets, torch.full((1, 2), 2.1))
    assert float(half.per_matrix) == pytest.approx(0.3, abs=1e-3)
    assert float(half.terms["active"]) == 0.5
    assert float(half.terms["boundary"]) == pytest.approx(2.1)


def test_the_boundary_is_a_parameter_for_each_group_and_class(scores_of, random_vectors):
    loss = Margin(boundary=0.9).build(LossShape(classes=5, groups=2, dim=4))
    assert [name for name, _ in loss.named_parameters()] == ["boundary"]
    assert torch.equal(loss.boundary, torch.full((2, 5), 0.9))
    scores = scores_of(random_vectors(4, 2, 4).float(), [1, 1, 3, 3])
    loss(scores, generator=torch.Generator().manual_seed(0)).per_matrix.sum().backward()
    moved = loss.boundary.grad.abs().sum(0) > 0
    assert moved.tolist() == [False, True, False, True, False]
