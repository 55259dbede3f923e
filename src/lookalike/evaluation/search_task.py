"""A search: queries, a gallery, their labels and ids, checked and in one form."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from lookalike.errors import UsageError
from lookalike.evaluation.vectors_and_labels import Labels, Vectors, codes_of, rows_of, unit_vectors
from lookalike.protocols import Similarity
from lookalike.similarity import CosineSimilarity
from lookalike.types import Embedding


@dataclass(frozen=True, slots=True, eq=False)
class SearchTask:
    """Queries, a gallery, and the similarity that compares them.

    Args:
        similarity: Scores the pairs.
        query: n images.
        query_labels: Their classes.
        query_ids: A gallery image with the id of a query is no candidate for it; None removes
            nothing.
        gallery: m images; the same object as `query` in mode A.
        gallery_labels: Their classes.
        gallery_ids: Unique.
        notes: What was done to the vectors.
    """

    similarity: Similarity
    query: Embedding
    query_labels: NDArray[np.int64]
    query_ids: NDArray[np.int64] | None
    gallery: Embedding
    gallery_labels: NDArray[np.int64]
    gallery_ids: NDArray[np.int64]
    notes: tuple[str, ...]

    @property
    def candidates(self) -> int:
        """How many candidates a query has, at most."""
        if self.query_ids is None:
            return len(self.gallery)
        everyone_is_there = bool((self.at(self.query_ids) >= 0).all())
        return max(1, len(self.gallery) - everyone_is_there)

    def at(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the gallery's row of each id, -1 where there is none."""
        order = np.argsort(self.gallery_ids, kind="stable")
        known = self.gallery_ids[order]
        place = np.minimum(np.searchsorted(known, ids), len(known) - 1)
        return np.where(known[place] == ids, order[place], -1)

    def positives(self) -> NDArray[np.int64]:
        """Count the candidates of each query's class."""
        classes, sizes = np.unique(self.gallery_labels, return_counts=True)
        place = np.minimum(np.searchsorted(classes, self.query_labels), len(classes) - 1)
        counts = np.where(classes[place] == self.query_labels, sizes[place], 0)
        if self.query_ids is None:
            return counts
        own = self.at(self.query_ids)
        found = (own >= 0) & (self.gallery_labels[own] == self.query_labels)
        return np.where(found, counts - 1, counts)

    def relevant(self, rows: slice, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Say which neighbours of some queries are of their query's class."""
        at = self.at(ids)
        same: NDArray[np.bool_] = self.gallery_labels[at] == self.query_labels[rows, None]
        return same & (at >= 0)


def search_task(
    query: Vectors,
    query_labels: Labels,
    gallery: Vectors | None,
    gallery_labels: Labels | None,
    query_ids: Labels | None,
    gallery_ids: Labels | None,
    similarity: Similarity | None,
) -> SearchTask:
    """Check the arguments of `retrieval` and put them together.

    Raises:
        UsageError: Sizes, types or ids do not fit.
    """
    if gallery is None and (gallery_labels is not None or gallery_ids is not None):
        raise UsageError("gallery_labels and gallery_ids describe a gallery: pass one")
    if gallery is not None and gallery_labels is None:
        raise UsageError("a gallery needs its labels: pass gallery_labels")
    if gallery is not None and query_ids is not None and gallery_ids is None:
        raise UsageError("query_ids say which gallery images to leave out: pass gallery_ids too")
    left, notes = _embedding(query, "query", similarity)
    own_labels = codes_of(query_labels, len(left), "query_labels")
    own_ids = None if query_ids is None else codes_of(query_ids, len(left), "query_ids")
    cosine = similarity or CosineSimilarity(torch.ones(1))
    if gallery is None or gallery_labels is None:
        ids = np.arange(len(left)) if own_ids is None else own_ids
        return SearchTask(cosine, left, own_labels, ids, left, own_labels, ids, notes)
    right, more = _embedding(gallery, "gallery", similarity)
    labels = codes_of(gallery_labels, len(right), "gallery_labels")
    ids = codes_of(
        range(len(right)) if gallery_ids is None else gallery_ids, len(right), "gallery_ids"
    )
    return SearchTask(cosine, left, own_labels, own_ids, right, labels, ids, notes + more)


def _embedding(
    vectors: Vectors, name: str, similarity: Similarity | None
) -> tuple[Embedding, tuple[str, ...]]:
    """Return vectors as an embedding, of unit length where no similarity is named."""
    if not len(vectors):
        raise UsageError(f"{name} is empty: there is nothing to rank")
    if similarity is None:
        rows, notes = unit_vectors(vectors, name)
        return Embedding.of(rows), notes
    if isinstance(vectors, Embedding):
        return vectors, ()
    return Embedding.of(rows_of(vectors, name)), ()
