"""Similarities: from two embeddings to a score, and the score before its sums."""

from typing import Annotated

from pydantic import Field

from lookalike.similarity.cosine import Cosine, CosineSimilarity
from lookalike.similarity.graph.graph import Graph, GraphSimilarity
from lookalike.similarity.graph.inference import NodeLevel
from lookalike.similarity.ranking import top_k, top_k_inner
from lookalike.similarity.shortlist import top_k_candidates

SimilarityConfig = Annotated[Cosine | Graph, Field(discriminator="kind")]

__all__ = [
    "Cosine",
    "CosineSimilarity",
    "Graph",
    "GraphSimilarity",
    "NodeLevel",
    "SimilarityConfig",
    "top_k",
    "top_k_candidates",
    "top_k_inner",
]
