"""For every query of a labelled catalog, its best right result and its best wrong one."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from lookalike.data import Catalog
from lookalike.errors import LookalikeError, UsageError
from lookalike.explanation.questions.catalog_pictures import require_model
from lookalike.model import Model
from lookalike.progress import Progress
from lookalike.types import Embedding

BLOCK = 256
"""Queries that are scored at once."""
Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Scores = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Contest:
    """A query with its best right and its best wrong result; rows are numbers in the catalog.

    Args:
        query: The query's row.
        right: The row of the best result of its class.
        wrong: The row of the best result of another class.
        right_score: The score of `right`.
        wrong_score: The score of `wrong`.
        rank: Of `right` among all results, from 1; equal scores are in the order of their rows.
    """

    query: int
    right: int
    wrong: int
    right_score: float
    wrong_score: float
    rank: int

    @property
    def margin(self) -> float:
        """The wrong result's score less the right one's; below zero where the query goes right."""
        return self.wrong_score - self.right_score


def contests(
    model: Model,
    catalog: Catalog,
    *,
    queries: Rows | None = None,
    batch_size: int = 64,
    progress: Progress | None = None,
) -> list[Contest]:
    """Find the best right and the best wrong result of every query, searching a catalog in itself.

    Where the catalog has roles, its queries are searched for in its gallery. A file that is both
    is left out of its own results. Queries without a right or without a wrong result are left
    out.

    Args:
        model: What scores them.
        catalog: With at least two pictures of a class, and two classes.
        queries: Only these rows; None is all.
        batch_size: Pictures that go through the network at once.
        progress: Told how many pictures are embedded, of how many.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: No query has both a right and a wrong result.
        LookalikeError: A score is not finite.
    """
    require_model(model)
    searched = _Searched.of(catalog, queries)
    asked = searched.queries[searched.answerable()]
    if not len(asked):
        raise UsageError(
            f"{catalog.root}: no query has both a result of its class and one of another; "
            "give a catalog with labels, two pictures of a class and two classes"
        )
    embedding = model.embed_catalog(catalog, batch_size=batch_size, progress=progress).embedding
    gallery = embedding[torch.from_numpy(searched.gallery)]
    found: list[Contest] = []
    for start in range(0, len(asked), BLOCK):
        rows = asked[start : start + BLOCK]
        scores = _scores(model, embedding[torch.from_numpy(rows)], gallery)
        found += [searched.contest(*each) for each in zip(rows.tolist(), scores, strict=True)]
    return found


def worst_first(found: list[Contest]) -> list[Contest]:
    """Put the contests first whose wrong result is furthest above the right one."""
    return sorted(found, key=lambda contest: (-contest.margin, contest.query))


@torch.no_grad()
def _scores(model: Model, queries: Embedding, gallery: Embedding) -> Scores:
    scores: Scores = model.similarity.matrix(queries, gallery).cpu().numpy()
    if not np.isfinite(scores).all():
        raise LookalikeError("a score is not finite: look for NaN or infinity in the weights")
    return scores


@dataclass(frozen=True, slots=True, eq=False)
class _Searched:
    """Which pictures are searched for, and among which.

    Args:
        labels: The class of each row.
        files: A code for the file of each row.
        queries: The rows of the queries.
        gallery: The rows of the results.
    """

    labels: Rows
    files: Rows
    queries: Rows
    gallery: Rows

    @staticmethod
    def of(catalog: Catalog, queries: Rows | None) -> "_Searched":
        """Take all rows for both, unless the catalog has roles."""
        roles = np.array([role or "" for role in catalog.roles])
        asked = gallery = np.arange(len(catalog))
        if (roles == "gallery").any():
            asked, gallery = np.flatnonzero(roles == "query"), np.flatnonzero(roles == "gallery")
        files = np.unique(np.array(catalog.paths), return_inverse=True)[1]
        return _Searched(catalog.labels, files, asked if queries is None else queries, gallery)

    def answerable(self) -> Mask:
        """Say which queries have both a right and a wrong result."""
        sizes = np.bincount(self.labels[self.gallery], minlength=self.labels.max() + 1)
        own = np.bincount(self.files[self.gallery], minlength=self.files.max() + 1)
        right = sizes[self.labels[self.queries]]
        both: Mask = (right > own[self.files[self.queries]]) & (right < len(self.gallery))
        return both

    def contest(self, query: int, scores: Scores) -> Contest:
        """Find the best result of each kind; of equal scores the first row."""
        other = self.files[self.gallery] != self.files[query]
        same = self.labels[self.gallery] == self.labels[query]
        right = int(np.where(other & same, scores, -np.inf).argmax())
        wrong = int(np.where(other & ~same, scores, -np.inf).argmax())
        before = np.arange(len(scores)) < right
        above = other & ((scores > scores[right]) | (before & (scores == scores[right])))
        return Contest(
            query=query,
            right=int(self.gallery[right]),
            wrong=int(self.gallery[wrong]),
            right_score=float(scores[right]),
            wrong_score=float(scores[wrong]),
            rank=1 + int(above.sum()),
        )
