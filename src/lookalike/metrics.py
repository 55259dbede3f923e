"""The metrics, for vectors and labels from anywhere; definitions stand with each function."""

from lookalike.evaluation import (
    Clustering,
    OverSeeds,
    PerQuery,
    Retrieval,
    clustering,
    pairwise_f1,
    retrieval,
)

__all__ = [
    "Clustering",
    "OverSeeds",
    "PerQuery",
    "Retrieval",
    "clustering",
    "pairwise_f1",
    "retrieval",
]
