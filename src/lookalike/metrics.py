"""Metrics of retrieval and clustering for any vectors, and measures of a model's explanations."""

from lookalike.evaluation import (
    Clustering,
    OverSeeds,
    PerQuery,
    Retrieval,
    clustering,
    pairwise_f1,
    retrieval,
)
from lookalike.explanation.measures import (
    Study,
    bootstrap_interval,
    deletion_insertion,
    describe_groups,
    measure_diversity,
    measure_faithfulness,
    measure_groups,
    measure_localisation,
    measure_randomisation,
    measure_stability,
    peak_parts,
    same_class_pairs,
)
from lookalike.explanation.report import ExplanationsReport, measure_explanations
from lookalike.explanation.saliency import METHODS

__all__ = [
    "METHODS",
    "Clustering",
    "ExplanationsReport",
    "OverSeeds",
    "PerQuery",
    "Retrieval",
    "Study",
    "bootstrap_interval",
    "clustering",
    "deletion_insertion",
    "describe_groups",
    "measure_diversity",
    "measure_explanations",
    "measure_faithfulness",
    "measure_groups",
    "measure_localisation",
    "measure_randomisation",
    "measure_stability",
    "pairwise_f1",
    "peak_parts",
    "retrieval",
    "same_class_pairs",
]
