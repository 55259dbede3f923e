"""Losses, their gradients and the sampler against the released implementations."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize, pairwise_distance

from lookalike.losses import (
    BinomialDeviance,
    Contrastive,
    Diversity,
    Margin,
    ProxyAnchor,
    Triplets,
    distance_weighted_odds,
    pairs_within,
)
from lookalike.protocols import PairScores

HERE = Path(__file__).parent
TOLERANCE = {torch.float64: 1e-9, torch.float32: 1e-5}
both_dtypes = pytest.mark.parametrize("dtype", TOLERANCE)


def golden(name, dtype=torch.float64):
    """Floats in the dtype asked for; what a gradient is wanted of requires one."""
    with np.load(HERE / f"{name}.npz") as arrays:
        tensors = {key: torch.from_numpy(np.asarray(value)) for key, value in arrays.items()}
    for key, value in tensors.items():
        if value.is_floating_point():
            value = value.to(dtype)
            tensors[key] = value.requires_grad_(key in {"embeddings", "beta", "distances"})
    return tensors


def scores_of(vectors, labels):
    """Score raw n×g×d embeddings against themselves."""
    unit = normalize(vectors, dim=-1)
    cosines = torch.einsum("ngd,mgd->gnm", unit, unit)
    positive, negative = pairs_within(labels, torch.arange(len(labels)))
    return PairScores(cosines, positive, negative, labels, dim=unit.shape[2])


def one_group(scores, group):
    return PairScores(
        scores.cosines[group : group + 1],
        scores.positive,
        scores.negative,
        scores.labels,
        dim=scores.dim,
    )


def same_triplets(triplets, groups):
    anchor, positive, negative = (column.expand(groups, -1) for column in triplets.T)
    return Triplets(anchor, positive, negative, torch.ones_like(anchor, dtype=torch.bool))


def close(actual, expected, dtype):
    assert actual.shape == expected.shape
    error = (actual - expected).abs().max() / expected.abs().max()
    assert error < TOLERANCE[dtype], f"relative error {float(error):.1e}"


def contrastive_of(to_positive, to_negative):
    everything = torch.ones(to_positive.shape[1], dtype=torch.bool)
    return Contrastive().of_distances(to_positive, to_negative, everything, everything).mean()


@both_dtypes
def test_contrastive_given_triplets(dtype):
    arrays = golden("loss_contrastive_given_triplets", dtype)
    # The released code measures ‖a − b + 1e-6‖, which no function of the cosine can tell.
    anchor, positive, negative = normalize(arrays["embeddings"], dim=-1)[arrays["triplets"]].unbind(
        1
    )
    to_positive = pairwise_distance(anchor, positive, eps=1e-6).T
    to_negative = pairwise_distance(anchor, negative, eps=1e-6).T
    loss = contrastive_of(to_positive, to_negative)
    loss.backward()
    close(loss, arrays["loss"], dtype)
    close(arrays["embeddings"].grad, arrays["grad"], dtype)
    for group, expected in enumerate(arrays["loss_per_group"]):
        one = slice(group, group + 1)
        close(contrastive_of(to_positive[one], to_negative[one]), expected, dtype)


def test_contrastive_with_our_distances_differs_by_the_shift_alone():
    arrays = golden("loss_contrastive_given_triplets")
    scores = scores_of(arrays["embeddings"], arrays["labels"])
    triplets = same_triplets(arrays["triplets"], len(arrays["loss_per_group"]))
    loss = contrastive_of(*triplets.pick(scores.distances()))
    assert float(loss.detach()) == pytest.approx(float(arrays["loss"]), rel=1e-6)


@both_dtypes
def test_binomial_deviance(dtype):
    arrays = golden("loss_binomial_deviance", dtype)
    scores = scores_of(arrays["embeddings"], arrays["labels"])
    loss = BinomialDeviance()(scores).per_matrix.mean()
    loss.backward()
    close(loss, arrays["loss"], dtype)
    close(arrays["embeddings"].grad, arrays["grad"], dtype)
    for group, expected in enumerate(arrays["loss_per_group"]):
        close(BinomialDeviance()(one_group(scores, group)).per_matrix.mean(), expected, dtype)


@both_dtypes
def test_binomial_deviance_with_self_pairs(dtype):
    arrays = golden("loss_binomial_deviance", dtype)
    scores = scores_of(arrays["embeddings"], arrays["labels"])
    for group, expected in enumerate(arrays["loss_per_group_self_pairs_kept"]):
        loss = BinomialDeviance(keep_self_pairs=True)(one_group(scores, group)).per_matrix.mean()
        close(loss, expected, dtype)


@both_dtypes
def test_margin_given_triplets(dtype):
    arrays = golden("loss_margin_given_triplets", dtype)
    scores = scores_of(arrays["embeddings"], arrays["labels"])
    triplets = same_triplets(arrays["triplets"], len(arrays["beta"]))
    loss = Margin().of_triplets(scores, triplets, arrays["beta"]).per_matrix.mean()
    loss.backward()
    close(loss, arrays["loss"], dtype)
    close(arrays["embeddings"].grad, arrays["grad_embeddings"], dtype)
    close(arrays["beta"].grad, arrays["grad_beta"], dtype)


@both_dtypes
@pytest.mark.parametrize(
    ("divide_by", "key"),
    [
        ("active_terms", "loss_per_group"),
        ("active_triplets", "loss_per_group_active_triplets"),
    ],
)
def test_margin_of_each_group(dtype, divide_by, key):
    arrays = golden("loss_margin_given_triplets", dtype)
    scores = scores_of(arrays["embeddings"], arrays["labels"])
    triplets = same_triplets(arrays["triplets"], 1)
    for group, expected in enumerate(arrays[key]):
        boundary = arrays["beta"][group : group + 1]
        result = Margin(divide_by=divide_by).of_triplets(
            one_group(scores, group), triplets, boundary
        )
        close(result.per_matrix.mean(), expected, dtype)


@both_dtypes
def test_diversity(dtype):
    arrays = golden("loss_diversity_binomial", dtype)
    unit = normalize(arrays["embeddings"], dim=-1)
    between = unit @ unit.transpose(1, 2)
    loss = Diversity(weight=1, normalisation="released").of_cosines(between)
    loss.backward()
    close(loss, arrays["loss"], dtype)
    close(arrays["embeddings"].grad, arrays["grad"], dtype)
    pairs = 6  # of 4 groups
    averaged = Diversity(weight=1, normalisation="paper").of_cosines(between.detach())
    close(averaged * pairs, arrays["loss_sum_over_group_pairs"], dtype)


@both_dtypes
def test_proxy_anchor_on_squared_distances(dtype):
    arrays = golden("loss_proxy_anchor_on_distances", dtype)
    positive = arrays["row_labels"][:, None] == arrays["column_labels"]
    # d² = 2 − 2s: scale 16, pull 1.8 and push 2.2 on d² are scale 32 and margin 0.1 on s.
    cosines = 1 - arrays["distances"][None] / 2
    scores = PairScores(cosines, positive, ~positive, arrays["row_labels"], dim=8)
    loss = ProxyAnchor(scale=32.0, margin=0.1).of_scores(scores).mean()
    loss.backward()
    close(loss, arrays["loss"], dtype)
    close(arrays["distances"].grad, arrays["grad"], dtype)


@both_dtypes
def test_distance_weighted_sampler(dtype):
    arrays = golden("sampler_distance_weighted", dtype)
    vectors = arrays["embeddings"].detach()
    scores = scores_of(vectors[:, None], arrays["labels"])
    distances = scores.squared_distances().sqrt()
    odds = distance_weighted_odds(distances, scores.negative, dim=scores.dim)
    close(odds[0], arrays["negative_probabilities"], dtype)
