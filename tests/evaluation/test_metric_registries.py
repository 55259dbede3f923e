"""All metrics of the registries: complete, computed, and found wherever a metric is shown."""

import numpy as np
import pytest
import torch

from lookalike.evaluation import (
    CLUSTERING_METRICS,
    RETRIEVAL_METRICS,
    ClusteringMetric,
    MetricAtRanks,
    RetrievalMetric,
    clustering,
    evaluate,
    find_metric,
    retrieval,
)
from lookalike.evaluation.retrieval_metrics import retrieval_metrics
from lookalike.model import create_model

KS = (1, 3)
METRICS = (*retrieval_metrics(KS), *CLUSTERING_METRICS.values())


def ranking(order):
    """Return one query and a gallery of its class 1 and others, ranked as given by a cosine."""
    angles = np.deg2rad(np.arange(len(order)) * 10.0 + 10)
    gallery = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return np.array([[1.0, 0.0]]), [1], gallery, order


def test_keys_and_labels_are_unique():
    assert len({metric.key for metric in METRICS}) == len(METRICS)
    assert len({metric.label for metric in METRICS}) == len(METRICS)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.key)
def test_a_metric_says_what_it_is(metric):
    assert metric.label
    assert "{k}" not in metric.label + metric.meaning
    assert len(metric.meaning) > 10
    found = find_metric(metric.key)
    assert (found.label, found.meaning, found.better) == (
        metric.label,
        metric.meaning,
        metric.better,
    )


@pytest.mark.parametrize("metric", retrieval_metrics(KS), ids=lambda metric: metric.key)
def test_a_retrieval_metric_is_between_0_and_1_and_says_which_way_is_better(metric):
    best = retrieval(*ranking([1, 1, 0, 0, 0]), ks=KS).metrics[metric.key]
    worst = retrieval(*ranking([0, 0, 0, 1, 1]), ks=KS).metrics[metric.key]
    assert 0 <= worst <= 1
    assert 0 <= best <= 1
    if metric.better == "higher":
        assert best > worst
    else:  # ties, and the cap, do not depend on the order
        assert best == worst


@pytest.mark.parametrize("metric", CLUSTERING_METRICS.values(), ids=lambda metric: metric.key)
def test_a_clustering_metric_is_1_for_the_classes_themselves(metric):
    classes = np.repeat(np.arange(4), 5)
    assert metric.value(classes, 3 - classes) == pytest.approx(1)
    assert metric.value(classes, np.tile(np.arange(5), 4)) < 0.3
    assert metric.spread().key == f"{metric.key}_spread"


@pytest.fixture
def further():
    """Three metrics that the library lacks, in the registries while a test runs."""
    reciprocal = RetrievalMetric(
        key="reciprocal_rank",
        label="MRR",
        meaning="1 / rank of the first positive, mean over queries",
        values=lambda lists: np.where(
            lists.first_hit() > 0, 1 / np.maximum(lists.first_hit(), 1), 0
        ),
    )
    all_found = MetricAtRanks(
        key="complete_at_K",
        label="complete@{k}",
        meaning="share of queries all of whose positives are among the first {k}",
        values=lambda lists, k: lists.hits_at(k) == lists.positives,
        compared_at=(3,),
    )
    purity = ClusteringMetric(
        key="purity",
        label="purity",
        meaning="share of images whose class is the most frequent in their cluster",
        value=lambda classes, clusters: float(
            np.mean(
                [
                    np.mean(classes[clusters == c] == np.bincount(classes[clusters == c]).argmax())
                    for c in clusters
                ]
            )
        ),
    )
    RETRIEVAL_METRICS.update({m.key: m for m in (reciprocal, all_found)})
    CLUSTERING_METRICS[purity.key] = purity
    yield
    for key in (reciprocal.key, all_found.key):
        del RETRIEVAL_METRICS[key]
    del CLUSTERING_METRICS[purity.key]


@pytest.mark.usefixtures("further")
def test_a_new_metric_is_measured_and_reported(coloured):
    by_hand = retrieval(*ranking([0, 1, 1, 0]), ks=KS)
    assert by_hand.metrics["reciprocal_rank"] == 1 / 2
    assert by_hand.at_ranks("complete_at") == {1: 0, 3: 1}
    torch.manual_seed(0)
    report = evaluate(create_model("tiny", dim=8), coloured, ks=KS, seeds=(0,))
    lines = report.to_markdown().splitlines()
    for key in ("reciprocal_rank", "complete_at_3", "purity", "purity_spread"):
        metric = find_metric(key)
        assert f"| {key} | {report.metrics[key]:.4f} | {metric.meaning} |" in lines
    assert find_metric("complete_at_3").compared
    assert not find_metric("complete_at_1").compared


@pytest.mark.usefixtures("further")
def test_a_new_clustering_metric_is_computed_for_each_seed():
    found = clustering(np.eye(4).repeat(3, axis=0), np.arange(4).repeat(3), seeds=(0, 1, 2, 3))
    assert max(found.metrics["purity"].values) == 1
