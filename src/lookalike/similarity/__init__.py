"""Similarities: from two embeddings to a score, and the score before its sums."""

from lookalike.similarity.cosine import Cosine, CosineSimilarity
from lookalike.similarity.ranking import top_k, top_k_inner

# One member for now; the graph joins as `Annotated[Cosine | Graph, Field(discriminator="kind")]`.
SimilarityConfig = Cosine

__all__ = ["Cosine", "CosineSimilarity", "SimilarityConfig", "top_k", "top_k_inner"]
