"""k-means: faiss where it is installed, scikit-learn elsewhere."""

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

KMeans = Callable[[NDArray[np.float32], int, int, int], NDArray[np.int64]]
"""Takes points, the number of clusters, a seed and the number of iterations; returns the cluster
of each point."""


def choose_kmeans() -> tuple[KMeans, str]:
    """Return an implementation of k-means, and the name of its library."""
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
        min_points_per_centroid=1,  # classes are small here: faiss need not warn of it
        max_points_per_centroid=len(points),  # otherwise it trains on a sample
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
        # It warns if there are fewer different points than clusters, as in a collapsed model.
        warnings.simplefilter("ignore", ConvergenceWarning)
        clusters: NDArray[np.int64] = kmeans.fit_predict(points).astype(np.int64)
    return clusters
