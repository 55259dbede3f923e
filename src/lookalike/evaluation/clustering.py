"""Clustering metrics: k-means, then clusters against classes (STANDARDS 3)."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import LookalikeError, UsageError
from lookalike.evaluation.given import Labels, Vectors, codes_of, unit_vectors


@dataclass(frozen=True, slots=True)
class OverSeeds:
    """A measure that depends on a random start.

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
        nmi: Normalised mutual information, arithmetic mean. It flatters: with small classes even
            a random assignment scores high.
        ami: The same adjusted for chance; 0 is what chance gives.
        f1: F1 over pairs of images, see `pairwise_f1`.
        clusters: K, the number of classes among the labels.
        images: How many were clustered.
        iterations: Of k-means.
        seeds: Of the random starts, as the values are ordered.
        backend: Whose k-means it was.
        notes: What was done to the vectors.
    """

    nmi: OverSeeds
    ami: OverSeeds
    f1: OverSeeds
    clusters: int
    images: int
    iterations: int
    seeds: tuple[int, ...]
    backend: str
    notes: tuple[str, ...]


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
        seeds: One k-means run for each.
        iterations: Of each run.

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
    kmeans, backend = _kmeans()
    agreements = [_agreement(codes, kmeans(points, k, seed, iterations)) for seed in seeds]
    nmi, ami, f1 = zip(*agreements, strict=True)
    return Clustering(
        nmi=OverSeeds(nmi),
        ami=OverSeeds(ami),
        f1=OverSeeds(f1),
        clusters=k,
        images=len(points),
        iterations=iterations,
        seeds=tuple(seeds),
        backend=backend,
        notes=notes,
    )


def pairwise_f1(labels: Labels, clusters: Labels) -> float:
    """Return F1 over all unordered pairs of images (Song et al. 2016; STANDARDS 3.3).

    A pair counts as found if both are in one cluster, and as right if both are of one class.
    No pair found or none to find is 0.

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


def _pairs(sizes: NDArray[np.int64]) -> int:
    return int((sizes * (sizes - 1) // 2).sum())


def _agreement(
    labels: NDArray[np.int64], clusters: NDArray[np.int64]
) -> tuple[float, float, float]:
    """Return NMI, AMI and F1."""
    from sklearn.metrics import adjusted_mutual_info_score, normalized_mutual_info_score

    return (
        float(normalized_mutual_info_score(labels, clusters, average_method="arithmetic")),
        float(adjusted_mutual_info_score(labels, clusters, average_method="arithmetic")),
        pairwise_f1(labels, clusters),
    )


KMeans = Callable[[NDArray[np.float32], int, int, int], NDArray[np.int64]]


def _kmeans() -> tuple[KMeans, str]:
    """Choose a k-means: points, k, seed and iterations in, a cluster for each point out."""
    try:
        import faiss  # noqa: F401
    except ImportError:
        return _kmeans_sklearn, "scikit-learn"
    return _kmeans_faiss, "faiss"


def _kmeans_faiss(
    points: NDArray[np.float32], k: int, seed: int, iterations: int
) -> NDArray[np.int64]:
    import faiss

    kmeans = faiss.Kmeans(
        points.shape[1],
        k,
        niter=iterations,
        seed=seed,
        min_points_per_centroid=1,  # classes are small here, faiss need not warn of it
        max_points_per_centroid=len(points),  # else it trains on a sample
    )
    kmeans.train(points)
    clusters: NDArray[np.int64] = kmeans.index.search(points, 1)[1][:, 0]
    return clusters


def _kmeans_sklearn(
    points: NDArray[np.float32], k: int, seed: int, iterations: int
) -> NDArray[np.int64]:
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    kmeans = KMeans(k, init="random", n_init=1, max_iter=iterations, random_state=seed)
    with warnings.catch_warnings():
        # It warns where there are fewer different points than clusters, as in a collapsed model.
        warnings.simplefilter("ignore", ConvergenceWarning)
        clusters: NDArray[np.int64] = kmeans.fit_predict(points).astype(np.int64)
    return clusters
