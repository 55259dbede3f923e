"""Similarities: from two embeddings to a score, and the score before its sums."""

from typing import Annotated

from pydantic import Field

from lookalike.config import parse
from lookalike.similarity.cosine import Cosine, CosineSimilarity
from lookalike.similarity.graph.graph import Graph, GraphSimilarity
from lookalike.similarity.ranking.shortlist import top_k_candidates
from lookalike.similarity.ranking.top_k import top_k, top_k_inner

SimilarityConfig = Annotated[Cosine | Graph, Field(discriminator="kind")]


def similarity_of(kind: str) -> SimilarityConfig:
    """Return the config of a similarity with its usual numbers, by its `kind`.

    Raises:
        ConfigError: There is no such similarity.
    """
    config: SimilarityConfig = parse(SimilarityConfig, {"kind": kind})
    return config


__all__ = [
    "Cosine",
    "CosineSimilarity",
    "Graph",
    "GraphSimilarity",
    "SimilarityConfig",
    "similarity_of",
    "top_k",
    "top_k_candidates",
    "top_k_inner",
]
