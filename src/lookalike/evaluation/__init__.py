"""Evaluation: retrieval and clustering metrics, reports, and the meaning of a score."""

from lookalike.evaluation.calibrate import calibrate
from lookalike.evaluation.clustering import Clustering, OverSeeds, clustering
from lookalike.evaluation.clustering_metrics import (
    CLUSTERING_METRICS,
    ClusteringMetric,
    pairwise_f1,
)
from lookalike.evaluation.evaluate_catalog import evaluate
from lookalike.evaluation.known_metrics import find_metric
from lookalike.evaluation.metric import Metric
from lookalike.evaluation.report import Report
from lookalike.evaluation.retrieval import PerQuery, Retrieval, retrieval
from lookalike.evaluation.retrieval_metrics import (
    RETRIEVAL_METRICS,
    MetricAtRanks,
    RetrievalMetric,
)

__all__ = [
    "CLUSTERING_METRICS",
    "RETRIEVAL_METRICS",
    "Clustering",
    "ClusteringMetric",
    "Metric",
    "MetricAtRanks",
    "OverSeeds",
    "PerQuery",
    "Report",
    "Retrieval",
    "RetrievalMetric",
    "calibrate",
    "clustering",
    "evaluate",
    "find_metric",
    "pairwise_f1",
    "retrieval",
]
