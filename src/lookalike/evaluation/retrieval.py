"""Retrieval metrics, all computed from ranks (STANDARDS 1 and 2).

For a query q with R_q positives among its candidates, and rel_i whether rank i is one of them:

    R@k          mean of [Σ_{i≤k} rel_i ≥ 1]            P@k    mean of (1/k) Σ_{i≤k} rel_i
    R-precision  mean of (1/R_q) Σ_{i≤R_q} rel_i        IR R@k mean of (1/R_q) Σ_{i≤k} rel_i
    MAP@R        mean of (1/R_q) Σ_{i≤R_q} P(i) rel_i   (Musgrave et al. 2020), P(i) = P@i of q
    mAP (DGML)   as MAP@R with R_q + 1 for R_q, both times: it cannot reach 1
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from lookalike.errors import UsageError
from lookalike.evaluation.given import Labels, Vectors
from lookalike.evaluation.ranks import PerQuery, score_lists
from lookalike.evaluation.request import Request, request
from lookalike.protocols import Similarity
from lookalike.similarity import top_k
from lookalike.types import Neighbours

HELD = 2**23  # places of neighbour lists held at once, about 400 MiB
SCORED = 2**20  # places scored at once

Policy = Literal["miss", "ignore"]


@dataclass(frozen=True, slots=True)
class Retrieval:
    """How well queries find what is of their class; means over queries, 0 to 1.

    Args:
        recall_at: Share of queries with a positive among the first k, by k.
        precision_at: Share of positives among the first k (of the candidates, if fewer), by k.
        ir_recall_at: Share of a query's positives that are among the first k, by k.
        map_at_r: MAP@R.
        r_precision: R-precision.
        map_dgml: What the DiVA and DGML code family calls mAP; compare with its own kind only.
        map_dgml_cap: What a perfect ranking would get in `map_dgml`.
        recall_at_1_bounds: R@1 if the ids broke all ties for the worse, and for the better.
        tie_share: Share of queries where ranks k and k + 1 score the same, so that the id alone
            decided which came first, by k.
        queries: How many there are.
        gallery: Images searched.
        classes: Classes of the queries.
        without_positives: Queries that have nothing to find.
        policy: Whether those count as missed ("miss") or are left out of the means ("ignore").
        mode: "A", queries are the gallery, each without itself; "B", queries and gallery differ.
        per_query: The same before the means, for every query, none left out.
        notes: What was done to the vectors.
    """

    recall_at: Mapping[int, float]
    precision_at: Mapping[int, float]
    ir_recall_at: Mapping[int, float]
    map_at_r: float
    r_precision: float
    map_dgml: float
    map_dgml_cap: float
    recall_at_1_bounds: tuple[float, float]
    tie_share: Mapping[int, float]
    queries: int
    gallery: int
    classes: int
    without_positives: int
    policy: Policy
    mode: Literal["A", "B"]
    per_query: PerQuery
    notes: tuple[str, ...]


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
    float32 score, then by id. Memory is bounded whatever the sizes.

    Args:
        query: n×D vectors, or an embedding.
        query_labels: Integer class codes.
        gallery: m×D vectors, or an embedding, in mode B.
        gallery_labels: Likewise.
        ks: Ranks for `recall_at` and its kind, at least 1; above the number of candidates they
            mean all of them.
        query_ids: Integers from 0 on; a gallery image with the id of the query is no candidate
            for it. In mode A they are the gallery's too. None counts from 0 in mode A, and
            removes nothing in mode B.
        gallery_ids: Unique, in mode B; they also break ties. None counts from 0.
        similarity: Scores the pairs; None is the cosine of the vectors.
        without_positives: Queries with nothing to find count as missed, or not at all.

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
    asked = request(
        query, query_labels, gallery, gallery_labels, query_ids, gallery_ids, similarity
    )
    positives = asked.positives()
    pieces = [
        score_lists(
            asked.relevant(rows, lists.ids.numpy()),
            lists.scores.numpy(),
            lists.tied.numpy(),
            positives[rows],
            ks,
        )
        for rows, lists in _lists(asked, max(*ks, int(positives.max()) + 1))
    ]
    return _means(asked, PerQuery.cat(pieces), without_positives)


def _lists(asked: Request, depth: int) -> Iterator[tuple[slice, Neighbours]]:
    """Search as many queries at once as memory allows, and hand them on in pieces."""
    n = len(asked.query)
    at_once = max(1, HELD // (depth + 1))
    piece = max(1, SCORED // depth)
    for start in range(0, n, at_once):
        stop = min(start + at_once, n)
        found = top_k(
            asked.similarity,
            # The very object, where it can be: a set against itself costs half.
            asked.query if stop - start == n else asked.query[start:stop],
            asked.gallery,
            depth,
            query_ids=None if asked.query_ids is None else asked.query_ids[start:stop],
            gallery_ids=asked.gallery_ids,
        )
        for first in range(start, stop, piece):
            rows = slice(first, min(first + piece, stop))
            here = slice(rows.start - start, rows.stop - start)
            yield rows, Neighbours(found.ids[here], found.scores[here], found.tied[here])


def _means(asked: Request, each: PerQuery, policy: Policy) -> Retrieval:
    counted = each.positives > 0
    without = int((~counted).sum())
    if policy == "miss":
        counted[:] = True
    elif not counted.any():
        raise UsageError(
            "no query has a positive among its candidates, and without_positives='ignore' leaves "
            "none to average over: check the labels"
        )

    def mean(values: np.ndarray) -> float:
        return float(values[counted].mean())

    least = np.maximum(each.positives, 1)
    depths = {k: min(k, asked.candidates) for k in each.hits_at}
    return Retrieval(
        recall_at={k: mean(hits > 0) for k, hits in each.hits_at.items()},
        precision_at={k: mean(hits / depths[k]) for k, hits in each.hits_at.items()},
        ir_recall_at={k: mean(hits / least) for k, hits in each.hits_at.items()},
        map_at_r=mean(each.average_precision),
        r_precision=mean(each.r_precision),
        map_dgml=mean(each.average_precision_dgml),
        map_dgml_cap=mean(each.positives / (each.positives + 1)),
        recall_at_1_bounds=(mean(each.unlucky_first), mean(each.lucky_first)),
        tie_share={k: float(tied.mean()) for k, tied in each.tied_at.items()},
        queries=len(asked.query),
        gallery=len(asked.gallery),
        classes=len(np.unique(asked.query_labels)),
        without_positives=without,
        policy=policy,
        mode="A" if asked.gallery is asked.query else "B",
        per_query=each,
        notes=asked.notes,
    )
