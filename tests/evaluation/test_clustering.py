"""Clustering metrics, with faiss and without."""

import itertools
import sys

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lookalike.errors import LookalikeError, UsageError
from lookalike.metrics import OverSeeds, clustering, pairwise_f1


@pytest.fixture(params=["faiss", "scikit-learn"])
def backend(request, monkeypatch):
    if request.param != "faiss":
        monkeypatch.setitem(sys.modules, "faiss", None)  # as if it were not installed
    return request.param


def test_clear_clusters_are_found(backend, capfd):
    generator = torch.Generator().manual_seed(0)
    labels = torch.arange(4).repeat_interleave(10)
    vectors = torch.eye(4, 8)[labels] + 0.05 * torch.randn(40, 8, generator=generator)
    result = clustering(vectors, labels, seeds=range(8))
    # A random start may put two centres into one class; the best of eight does not.
    assert max(result.nmi.values) == max(result.ami.values) == pytest.approx(1)
    assert max(result.f1.values) == 1
    assert (result.clusters, result.images, result.backend) == (4, 40, backend)
    assert capfd.readouterr().err == ""  # faiss says nothing of few points a cluster


def test_noise_has_no_adjusted_information(backend):
    """With classes of two, NMI flatters a random embedding; AMI does not."""
    vectors = torch.randn(200, 8, generator=torch.Generator().manual_seed(0))
    result = clustering(vectors, np.repeat(np.arange(100), 2))
    assert result.nmi.mean > 0.8
    assert abs(result.ami.mean) < 0.1
    assert len(result.nmi.values) == 3
    assert result.nmi.spread > 0


def test_seeds_are_reproduced(backend):
    vectors = torch.randn(60, 8, generator=torch.Generator().manual_seed(0))
    labels = np.arange(60) % 12
    one = clustering(vectors, labels, seeds=(3,))
    assert clustering(vectors, labels, seeds=(4, 3)).f1.values[1] == one.f1.values[0]
    assert one.f1.spread == 0


def test_a_collapsed_model(backend):
    result = clustering(torch.ones(12, 4), np.arange(12) % 3)
    assert result.nmi.mean == pytest.approx(0)


def test_length_does_not_matter(backend):
    vectors = torch.randn(30, 4, generator=torch.Generator().manual_seed(0))
    scaled = vectors * torch.arange(1.0, 31)[:, None]
    labels = np.arange(30) % 5
    assert clustering(vectors, labels).f1.mean == clustering(scaled, labels).f1.mean
    assert "normalised" in clustering(scaled, labels).notes[0]


def test_over_seeds():
    assert OverSeeds((1.0, 2.0, 4.0)).mean == pytest.approx(7 / 3)
    assert OverSeeds((1.0, 2.0, 4.0)).spread == pytest.approx(np.sqrt(7 / 3))


codes = st.lists(st.integers(0, 5), min_size=1, max_size=25)


@given(st.data(), codes)
def test_f1_counts_pairs(data, labels):
    clusters = data.draw(st.lists(st.integers(0, 5), min_size=len(labels), max_size=len(labels)))
    right = found = wanted = 0
    for i, j in itertools.combinations(range(len(labels)), 2):
        right += labels[i] == labels[j] and clusters[i] == clusters[j]
        found += clusters[i] == clusters[j]
        wanted += labels[i] == labels[j]
    expected = 0
    if right:
        precision, recall = right / found, right / wanted
        expected = 2 * precision * recall / (precision + recall)
    assert pairwise_f1(labels, clusters) == pytest.approx(expected)


def test_f1_by_hand():
    # Pairs found: 01, 02, 12; wanted: 01, 23; right: 01. P = 1/3, R = 1/2, F1 = 2/5.
    assert pairwise_f1([7, 7, 8, 8], [1, 1, 1, 0]) == pytest.approx(0.4)


def test_f1_without_pairs_is_zero():
    assert pairwise_f1([0, 1, 2], [0, 1, 2]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"labels": np.array([0.0, 1.0])}, "labels must be integers"),
        ({"labels": [0, 1, 2]}, "labels must be 2"),
        ({"seeds": ()}, "at least one"),
        ({"vectors": torch.zeros(0, 2)}, "nothing to cluster"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, message):
    with pytest.raises(UsageError, match=message):
        clustering(**({"vectors": torch.eye(2), "labels": [0, 1]} | arguments))


def test_not_a_number_is_an_error():
    with pytest.raises(LookalikeError, match="not finite"):
        clustering(torch.full((2, 2), torch.nan), [0, 1])
