"""Cluster embeddings with k-means, and compare the clusters with the classes (STANDARDS 3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import LookalikeError, UsageError
from lookalike.evaluation.clustering_metrics import CLUSTERING_METRICS
from lookalike.evaluation.kmeans import choose_kmeans
from lookalike.evaluation.vectors_and_labels import Labels, Vectors, codes_of, unit_vectors


@dataclass(frozen=True, slots=True)
class OverSeeds:
    """The values of one number over several random seeds.

    >>> OverSeeds((0.5, 0.6, 0.7)).mean, round(OverSeeds((0.5, 0.6, 0.7)).spread, 3)
    (0.6, 0.1)

    Args:
        values: One for each seed.
    """

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean over the seeds."""
        return float(np.mean(self.values))

    @property
    def spread(self) -> float:
        """The standard deviation over the seeds (n − 1), 0 for a single one."""
        return float(np.std(self.values, ddof=1)) if len(self.values) > 1 else 0.0

    def __float__(self) -> float:
        return self.mean


@dataclass(frozen=True, slots=True)
class Clustering:
    """How well clusters agree with classes.

    Args:
        metrics: Every metric by its key, over the seeds.
        clusters: K, the number of classes among the labels.
        images: How many were clustered.
        iterations: Of k-means.
        seeds: Of the random starts, as the values are ordered.
        backend: The library whose k-means it was.
        notes: What was done to the vectors.
    """

    metrics: Mapping[str, OverSeeds]
    clusters: int
    images: int
    iterations: int
    seeds: tuple[int, ...]
    backend: str
    notes: tuple[str, ...]

    @property
    def nmi(self) -> OverSeeds:
        """Normalised mutual information. With small classes, a random assignment scores high."""
        return self.metrics["nmi"]

    @property
    def ami(self) -> OverSeeds:
        """Mutual information adjusted for chance: a random assignment scores 0."""
        return self.metrics["ami"]

    @property
    def f1(self) -> OverSeeds:
        """F1 over pairs of images, see `pairwise_f1`."""
        return self.metrics["f1"]


def clustering(
    vectors: Vectors,
    labels: Labels,
    *,
    seeds: Sequence[int] = (0, 1, 2),
    iterations: int = 20,
) -> Clustering:
    """Cluster L2-normalised vectors into as many clusters as there are classes, and compare.

    K is counted in `labels`, the classes at hand. The code of several papers takes the number of
    training classes instead, which differs for SOP (11,318 against 11,316).

    Args:
        vectors: n×D, or an embedding.
        labels: Integer class codes.
        seeds: k-means runs once for each.
        iterations: How many each run has.

    Raises:
        UsageError: Sizes or types do not fit, or there is no seed.
        LookalikeError: A vector is not finite.
    """
    if not seeds:
        raise UsageError("seeds is empty: name at least one")
    if not len(vectors):
        raise UsageError("nothing to cluster: there are no vectors")
    rows, notes = unit_vectors(vectors, "clustered")
    codes = codes_of(labels, len(rows), "labels")
    points: NDArray[np.float32] = rows.numpy()
    if not np.isfinite(points).all():
        raise LookalikeError("a vector is not finite: look for NaN or infinity in the embedding")
    k = len(np.unique(codes))
    kmeans, backend = choose_kmeans()
    found = [kmeans(points, k, seed, iterations) for seed in seeds]
    return Clustering(
        metrics={
            metric.key: OverSeeds(tuple(metric.value(codes, clusters) for clusters in found))
            for metric in CLUSTERING_METRICS.values()
        },
        clusters=k,
        images=len(points),
        iterations=iterations,
        seeds=tuple(seeds),
        backend=backend,
        notes=notes,
    )
