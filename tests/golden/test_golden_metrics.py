"""Metrics against the released implementations, on the same vectors and labels."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import normalized_mutual_info_score

from lookalike.metrics import pairwise_f1, retrieval


@pytest.fixture(scope="module")
def golden():
    with np.load(Path(__file__).parent / "metrics.npz") as arrays:
        return dict(arrays)


def test_retrieval(golden):
    result = retrieval(golden["vectors"], golden["labels"], ks=(1, 2, 4, 8))
    for k in (1, 2, 4, 8):
        assert result.recall_at[k] == pytest.approx(golden[f"recall_at_{k}"], rel=1e-9)
    assert result.map_at_r == pytest.approx(golden["map_at_r"], rel=1e-9)
    assert result.r_precision == pytest.approx(golden["r_precision"], rel=1e-9)
    assert result.map_dgml == pytest.approx(golden["map_published_r_counts_query"], rel=1e-9)


def test_clusters(golden):
    labels, clusters = golden["labels"], golden["cluster_labels"]
    assert pairwise_f1(labels, clusters) == pytest.approx(golden["f1"], rel=1e-9)
    arithmetic = normalized_mutual_info_score(labels, clusters, average_method="arithmetic")
    assert arithmetic == pytest.approx(golden["nmi"], rel=1e-9)
