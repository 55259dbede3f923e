"""Evaluation: retrieval and clustering metrics, reports, and what a score means."""

from lookalike.evaluation.calibrate import calibrate
from lookalike.evaluation.clustering import Clustering, OverSeeds, clustering, pairwise_f1
from lookalike.evaluation.evaluate import evaluate
from lookalike.evaluation.ranks import PerQuery
from lookalike.evaluation.report import Report
from lookalike.evaluation.retrieval import Retrieval, retrieval

__all__ = [
    "Clustering",
    "OverSeeds",
    "PerQuery",
    "Report",
    "Retrieval",
    "calibrate",
    "clustering",
    "evaluate",
    "pairwise_f1",
    "retrieval",
]
