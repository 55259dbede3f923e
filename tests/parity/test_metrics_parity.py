"""Metrics against pytorch-metric-learning and scikit-learn: equal, or different for a reason."""

import sys

import numpy as np
import pytest
import torch
from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator
from sklearn.metrics import adjusted_mutual_info_score, normalized_mutual_info_score

from lookalike.metrics import clustering, retrieval

INCLUDE = ("precision_at_1", "r_precision", "mean_average_precision_at_r")


def theirs(vectors, labels, include=INCLUDE, **options):
    calculator = AccuracyCalculator(
        include=include, k="max_bin_count", device=torch.device("cpu"), **options
    )
    return calculator.get_accuracy(vectors, labels)


def random_set(n, classes, seed):
    generator = torch.Generator().manual_seed(seed)
    labels = torch.arange(n) % classes
    centres = torch.randn(classes, 16, generator=generator)
    noise = torch.randn(n, 16, generator=generator)
    return torch.nn.functional.normalize(centres[labels] + 1.5 * noise, dim=1), labels


def assert_equal(ours, theirs):
    assert ours.recall_at[1] == pytest.approx(theirs["precision_at_1"], abs=1e-6)
    assert ours.r_precision == pytest.approx(theirs["r_precision"], abs=1e-6)
    assert ours.map_at_r == pytest.approx(theirs["mean_average_precision_at_r"], abs=1e-6)


@pytest.mark.parametrize(("n", "classes"), [(60, 20), (200, 7), (301, 150)])
def test_within_a_set(n, classes):
    vectors, labels = random_set(n, classes, seed=n)
    assert_equal(retrieval(vectors, labels), theirs(vectors, labels))


def test_queries_in_a_gallery():
    vectors, labels = random_set(240, 12, seed=3)
    calculator = AccuracyCalculator(include=INCLUDE, k="max_bin_count", device=torch.device("cpu"))
    found = calculator.get_accuracy(vectors[:80], labels[:80], vectors[80:], labels[80:])
    assert_equal(retrieval(vectors[:80], labels[:80], vectors[80:], labels[80:]), found)


def test_queries_without_positives_are_left_out_there():
    """They drop such queries; ours count them as missed unless told to ignore them."""
    vectors, labels = random_set(60, 20, seed=5)
    labels = torch.where(torch.arange(60) % 5 == 0, 100 + torch.arange(60), labels)
    found = theirs(vectors, labels)
    assert_equal(retrieval(vectors, labels, without_positives="ignore"), found)
    missed = retrieval(vectors, labels)
    assert missed.map_at_r < found["mean_average_precision_at_r"]


def test_their_labels_collide_where_floats_do():
    """They keep labels as float32: neighbouring classes above 2²⁴ become one."""
    vectors, labels = random_set(60, 20, seed=7)
    apart = retrieval(vectors, labels)
    assert retrieval(vectors, labels + 2**24).map_at_r == apart.map_at_r
    found = theirs(vectors, labels + 2**24)
    assert found["mean_average_precision_at_r"] != pytest.approx(apart.map_at_r, abs=1e-3)


def test_their_mean_over_classes_is_another():
    """Their `avg_of_avgs` weighs classes alike; ours, and their default, weighs queries alike."""
    vectors, labels = random_set(120, 10, seed=9)
    labels = torch.where(labels < 5, torch.zeros_like(labels), labels)
    ours = retrieval(vectors, labels)
    assert_equal(ours, theirs(vectors, labels))
    macro = theirs(vectors, labels, avg_of_avgs=True)["mean_average_precision_at_r"]
    each = ours.per_query.values["map_at_r"]
    by_class = [each[labels.numpy() == label].mean() for label in labels.unique().tolist()]
    assert macro == pytest.approx(np.mean(by_class), abs=1e-6)
    assert macro != pytest.approx(ours.map_at_r, abs=1e-3)


def test_mutual_information(monkeypatch):
    """Of the same clusters, ours is scikit-learn's with the arithmetic mean."""
    vectors, labels = random_set(200, 20, seed=11)
    clusters = np.random.default_rng(0).integers(0, 20, 200)
    module = sys.modules["lookalike.evaluation.clustering"]
    monkeypatch.setattr(module, "choose_kmeans", lambda: (lambda *_: clusters, "chosen here"))
    found = clustering(vectors, labels, seeds=(0,))
    expected = normalized_mutual_info_score(labels, clusters, average_method="arithmetic")
    assert found.nmi.mean == pytest.approx(expected)
    assert found.ami.mean == pytest.approx(adjusted_mutual_info_score(labels, clusters))


def test_their_normalised_mutual_information_is_of_their_own_clusters():
    """Both run k-means from random starts: near, and equal only by chance."""
    vectors, labels = random_set(400, 20, seed=13)
    found = theirs(vectors, labels, include=("NMI", "AMI"))
    ours = clustering(vectors, labels)
    assert ours.nmi.mean == pytest.approx(found["NMI"], abs=0.06)
    assert ours.ami.mean == pytest.approx(found["AMI"], abs=0.09)
