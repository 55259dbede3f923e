"""For every query of a labelled catalog, its best right result and its best wrong one."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from lookalike.data import Catalog
from lookalike.errors import LookalikeError, UsageError
from lookalike.explanation.questions.pictures import require_model
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
    """A query with the best of its results of either kind; rows are numbers in the catalog.

    Args:
        query: The query's row.
        right: The row of the best result of its class.
        wrong: The row of the best result of another class.
        right_score: The score of `right`.
        wrong_score: The score of `wrong`.
        rank: Of `right` among all results, from 1; the order of equal scores is that of the rows.
    """

    query: int
    right: int
    wrong: int
    right_score: float
    wrong_score: float
    rank: int

    @property
    def margin(self) -> float:
        """By how much the wrong one is above the right one; below zero where it is not."""
        return self.wrong_score - self.right_score


def contests(
    model: Model,
    catalog: Catalog,
    *,
    queries: Rows | None = None,
    batch_size: int = 64,
    progress: Progress | None = None,
) -> list[Contest]:
    """Search the catalog for its own pictures, and hold the best wrong result against the right.

    Where the catalog has roles, its queries are searched for in its gallery; a file that is both
    does not find itself. Queries without a right result, or without a wrong one, are left out.

    Args:
        model: What scores them.
        catalog: With at least two pictures of a class, and two classes.
        queries: Only these rows; None is all.
        batch_size: How many pictures go through the network at once.
        progress: Told how many pictures are embedded, of how many.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: No query has both a right and a wrong result.
        LookalikeError: A score is not finite.
    """
    require_model(model)
    arena = _Arena.of(catalog, queries)
    asked = arena.asked[arena.fair()]
    if not len(asked):
        raise UsageError(
            f"{catalog.root}: no query has both a result of its class and one of another; "
            "it takes a catalog with labels, two pictures of a class and two classes"
        )
    embedding = model.embed_catalog(catalog, batch_size=batch_size, progress=progress).embedding
    gallery = embedding[torch.from_numpy(arena.gallery)]
    found: list[Contest] = []
    for start in range(0, len(asked), BLOCK):
        rows = asked[start : start + BLOCK]
        scores = _scores(model, embedding[torch.from_numpy(rows)], gallery)
        found += [arena.contest(*each) for each in zip(rows.tolist(), scores, strict=True)]
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
class _Arena:
    """Who is searched for among whom.

    Args:
        labels: The class of each row.
        files: A code for the file of each row.
        asked: The rows of the queries.
        gallery: The rows of the results.
    """

    labels: Rows
    files: Rows
    asked: Rows
    gallery: Rows

    @staticmethod
    def of(catalog: Catalog, queries: Rows | None) -> "_Arena":
        """Take all rows for both, unless the catalog has roles."""
        roles = np.array([role or "" for role in catalog.roles])
        asked = gallery = np.arange(len(catalog))
        if (roles == "gallery").any():
            asked, gallery = np.flatnonzero(roles == "query"), np.flatnonzero(roles == "gallery")
        files = np.unique(np.array(catalog.paths), return_inverse=True)[1]
        return _Arena(catalog.labels, files, asked if queries is None else queries, gallery)

    def fair(self) -> Mask:
        """Say which queries have both a right and a wrong result."""
        sizes = np.bincount(self.labels[self.gallery], minlength=self.labels.max() + 1)
        own = np.bincount(self.files[self.gallery], minlength=self.files.max() + 1)
        right = sizes[self.labels[self.asked]]
        fair: Mask = (right > own[self.files[self.asked]]) & (right < len(self.gallery))
        return fair

    def contest(self, query: int, scores: Scores) -> Contest:
        """Find the best result of either kind, of equal ones the first."""
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
