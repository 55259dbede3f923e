"""The clustering metrics: all that reports, the command line and comparisons know of them.

Each compares clusters with classes (STANDARDS 3). To add one, add it to `CLUSTERING_METRICS`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.evaluation.metric import Metric
from lookalike.evaluation.vectors_and_labels import Labels, codes_of

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteringMetric(Metric):
    """A metric of clusters and classes.

    Args:
        value: Computes it from the class and the cluster of each image.
    """

    value: Callable[[Codes, Codes], float]

    def spread(self) -> Metric:
        """Return the metric that says how far this one differs between seeds."""
        return Metric(
            key=f"{self.key}_spread",
            label=f"{self.label}, spread",
            meaning=f"standard deviation of {self.key} over the seeds",
            better="none",
            compared=False,
        )


def normalised_mutual_information(classes: Codes, clusters: Codes) -> float:
    """Return 2 I(Y;C) / (H(Y)+H(C))."""
    from sklearn.metrics import normalized_mutual_info_score

    return float(normalized_mutual_info_score(classes, clusters, average_method="arithmetic"))


def adjusted_mutual_information(classes: Codes, clusters: Codes) -> float:
    """Return the mutual information, adjusted so that chance has 0."""
    from sklearn.metrics import adjusted_mutual_info_score

    return float(adjusted_mutual_info_score(classes, clusters, average_method="arithmetic"))


def pairwise_f1(labels: Labels, clusters: Labels) -> float:
    """Return F1 over all unordered pairs of images (Song et al. 2016; STANDARDS 3.3).

    A pair is found if both images are in one cluster, and right if both are of one class. If no
    pair is found, or there is none to find, F1 is 0.

    >>> pairwise_f1([0, 0, 1, 1], [0, 0, 0, 1])
    0.4
    """
    classes = codes_of(labels, len(labels), "labels")
    found = codes_of(clusters, len(classes), "clusters")
    both = np.stack([classes, found])
    right = _pairs(np.unique(both, axis=1, return_counts=True)[1])
    total = _pairs(np.unique(classes, return_counts=True)[1])
    total += _pairs(np.unique(found, return_counts=True)[1])
    return 2 * right / total if total else 0.0  # 2PR / (P + R), with the fractions cleared


def _pairs(sizes: Codes) -> int:
    return int((sizes * (sizes - 1) // 2).sum())


_METRICS = (
    ClusteringMetric(
        key="nmi",
        label="NMI",
        meaning="2 I(Y;C) / (H(Y)+H(C)) of classes and clusters, not adjusted for chance",
        value=normalised_mutual_information,
    ),
    ClusteringMetric(
        key="ami",
        label="AMI",
        meaning="mutual information of classes and clusters, adjusted for chance: random is 0",
        value=adjusted_mutual_information,
    ),
    ClusteringMetric(
        key="f1",
        label="F1",
        meaning="F1 over pairs of images: same cluster against same class",
        value=pairwise_f1,
    ),
)
CLUSTERING_METRICS: dict[str, ClusteringMetric] = {metric.key: metric for metric in _METRICS}
"""The metrics by key, in the order in which a report shows them."""
