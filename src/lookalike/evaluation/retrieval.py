"""Search queries in a gallery and measure what is found (STANDARDS 1 and 2).

What the metrics are stands in `retrieval_metrics`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Int64

from lookalike.errors import UsageError
from lookalike.evaluation.ranked_lists import RankedLists
from lookalike.evaluation.retrieval_metrics import RetrievalMetric, Values, retrieval_metrics
from lookalike.evaluation.search_task import SearchTask, search_task
from lookalike.evaluation.vectors_and_labels import Labels, Vectors
from lookalike.protocols import Similarity
from lookalike.similarity import top_k
from lookalike.types import Neighbours

HELD = 2**23
"""Places of neighbour lists that are held at once, about 400 MiB."""
SCORED = 2**20
"""Places whose metrics are computed at once."""

Policy = Literal["miss", "ignore"]


@dataclass(frozen=True, slots=True, eq=False)
class PerQuery:
    """The metrics of each query, in the order of the queries.

    Args:
        positives: How many images there are to find.
        first_hit: Rank of the first positive, from 1; 0 if it is not among those searched.
        values: By the metric's key, before the mean is taken.
    """

    positives: Int64[np.ndarray, " n"]
    first_hit: Int64[np.ndarray, " n"]
    values: Mapping[str, Values]

    def __len__(self) -> int:
        return len(self.positives)


@dataclass(frozen=True, slots=True)
class Retrieval:
    """How well queries find what is of their class; means over queries, 0 to 1.

    Args:
        metrics: Every metric by its key, e.g. "recall_at_1" or "map_at_r".
        ks: The ranks of `recall_at` and the like.
        queries: How many there are.
        gallery: Images searched.
        classes: Classes of the queries.
        without_positives: Queries that have nothing to find.
        policy: Whether those count as missed ("miss") or are left out of the means ("ignore").
        mode: "A", queries are the gallery, each without itself; "B", queries and gallery differ.
        per_query: The metrics before the means, for every query, none left out.
        notes: What was done to the vectors.
    """

    metrics: Mapping[str, float]
    ks: tuple[int, ...]
    queries: int
    gallery: int
    classes: int
    without_positives: int
    policy: Policy
    mode: Literal["A", "B"]
    per_query: PerQuery
    notes: tuple[str, ...]

    def at_ranks(self, name: str) -> dict[int, float]:
        """Return a metric by rank; its name is the key without the rank, e.g. "recall_at"."""
        return {k: self.metrics[f"{name}_{k}"] for k in self.ks}

    @property
    def recall_at(self) -> dict[int, float]:
        """Share of queries with a positive among the first k, by k."""
        return self.at_ranks("recall_at")

    @property
    def precision_at(self) -> dict[int, float]:
        """Share of positives among the first k (of the candidates, if fewer), by k."""
        return self.at_ranks("precision_at")

    @property
    def ir_recall_at(self) -> dict[int, float]:
        """Share of a query's positives that are among the first k, by k."""
        return self.at_ranks("ir_recall_at")

    @property
    def tie_share(self) -> dict[int, float]:
        """Share of queries whose ranks k and k + 1 have the same score, by k."""
        return self.at_ranks("tie_share_at")

    @property
    def map_at_r(self) -> float:
        """MAP@R."""
        return self.metrics["map_at_r"]

    @property
    def r_precision(self) -> float:
        """R-precision."""
        return self.metrics["r_precision"]

    @property
    def map_dgml(self) -> float:
        """What the DiVA and DGML code calls mAP; compare it with its own kind only."""
        return self.metrics["map_dgml"]

    @property
    def map_dgml_cap(self) -> float:
        """The value of `map_dgml` for a perfect ranking."""
        return self.metrics["map_dgml_cap"]

    @property
    def recall_at_1_bounds(self) -> tuple[float, float]:
        """R@1 if all ties were broken against the model, and in its favour."""
        return self.metrics["recall_at_1_worst"], self.metrics["recall_at_1_best"]


def retrieval(
    query: Vectors,
    query_labels: Labels,
    gallery: Vectors | None = None,
    gallery_labels: Labels | None = None,
    *,
    ks: Sequence[int] = (1, 2, 4, 8),
    query_ids: Labels | None = None,
    gallery_ids: Labels | None = None,
    similarity: Similarity | None = None,
    without_positives: Policy = "miss",
) -> Retrieval:
    """Measure how well queries find images of their class.

    Without a gallery the queries are their own, each without itself (mode A: CUB, Cars, SOP);
    with one, nothing is removed unless ids say so (mode B: In-Shop). Candidates are ranked by
    float32 score, then by id. Memory is bounded for any sizes.

    Args:
        query: n×D vectors, or an embedding.
        query_labels: Integer class codes.
        gallery: m×D vectors, or an embedding, in mode B.
        gallery_labels: Likewise.
        ks: Ranks for `recall_at` and the like, at least 1; a rank above the number of candidates
            means all of them.
        query_ids: Integers from 0 on; a gallery image with the id of the query is no candidate
            for it. In mode A they are the gallery's too. None counts from 0 in mode A, and
            removes nothing in mode B.
        gallery_ids: Unique, in mode B; they also break ties. None counts from 0.
        similarity: Scores the pairs; None is the cosine of the vectors.
        without_positives: Whether queries without positives count as missed or are left out.

    Raises:
        UsageError: Sizes, types or ids do not fit, or no query counts.
        LookalikeError: A score is not finite.

    >>> x = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.1, 1.0]])
    >>> result = retrieval(x, [0, 0, 1, 1])
    >>> result.recall_at[1], result.map_at_r, result.map_dgml, result.map_dgml_cap
    (1.0, 1.0, 0.5, 0.5)
    """
    if not ks or min(ks) < 1:
        raise UsageError(f"ks = {tuple(ks)}: name ranks of at least 1")
    task = search_task(
        query, query_labels, gallery, gallery_labels, query_ids, gallery_ids, similarity
    )
    positives = task.positives()
    candidates = task.candidates
    metrics = retrieval_metrics(tuple(dict.fromkeys(ks)))
    pieces = [
        _measure(
            RankedLists.of(
                task.relevant(rows, found.ids.numpy()),
                found.scores.numpy(),
                found.tied.numpy(),
                positives[rows],
                candidates,
            ),
            metrics,
        )
        for rows, found in _search(task, max(*ks, int(positives.max()) + 1))
    ]
    return _means(task, _joined(pieces), metrics, tuple(dict.fromkeys(ks)), without_positives)


def _search(task: SearchTask, depth: int) -> Iterator[tuple[slice, Neighbours]]:
    """Search as many queries at once as memory allows, and yield the lists in smaller pieces."""
    n = len(task.query)
    at_once = max(1, HELD // (depth + 1))
    piece = max(1, SCORED // depth)
    for start in range(0, n, at_once):
        stop = min(start + at_once, n)
        found = top_k(
            task.similarity,
            # The same object where possible: comparing a set with itself costs half.
            task.query if stop - start == n else task.query[start:stop],
            task.gallery,
            depth,
            query_ids=None if task.query_ids is None else task.query_ids[start:stop],
            gallery_ids=task.gallery_ids,
        )
        for first in range(start, stop, piece):
            rows = slice(first, min(first + piece, stop))
            here = slice(rows.start - start, rows.stop - start)
            yield rows, Neighbours(found.ids[here], found.scores[here], found.tied[here])


def _measure(lists: RankedLists, metrics: Sequence[RetrievalMetric]) -> PerQuery:
    values = {metric.key: metric.values(lists) for metric in metrics}
    return PerQuery(lists.positives, lists.first_hit(), values)


def _joined(pieces: Sequence[PerQuery]) -> PerQuery:
    """Join the metrics of consecutive queries."""
    return PerQuery(
        np.concatenate([piece.positives for piece in pieces]),
        np.concatenate([piece.first_hit for piece in pieces]),
        {key: np.concatenate([p.values[key] for p in pieces]) for key in pieces[0].values},
    )


def _means(
    task: SearchTask,
    each: PerQuery,
    metrics: Sequence[RetrievalMetric],
    ks: tuple[int, ...],
    policy: Policy,
) -> Retrieval:
    everyone = np.ones(len(each), dtype=bool)
    has_positives = each.positives > 0
    counted = everyone if policy == "miss" else has_positives
    if not counted.any():
        raise UsageError(
            "no query has a positive among its candidates, and without_positives='ignore' leaves "
            "none to average over: check the labels"
        )
    return Retrieval(
        metrics={
            metric.key: float(
                each.values[metric.key][everyone if metric.all_queries else counted].mean()
            )
            for metric in metrics
        },
        ks=ks,
        queries=len(task.query),
        gallery=len(task.gallery),
        classes=len(np.unique(task.query_labels)),
        without_positives=int((~has_positives).sum()),
        policy=policy,
        mode="A" if task.gallery is task.query else "B",
        per_query=each,
        notes=task.notes,
    )
