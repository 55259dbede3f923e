"""Result lists of a few queries, right and wrong, with each match explained."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from lookalike.data import Catalog
from lookalike.explanation import Explanation, explain_pairs
from lookalike.model import Model
from lookalike.similarity import top_k


@dataclass(frozen=True, slots=True)
class QueryResults:
    """The results of a query that are shown.

    Args:
        query: Its row in the catalog.
        rows: Of the pictures to show, best first.
        ranks: Counted from 1. The last may be far down, if it is the best right picture.
    """

    query: int
    rows: tuple[int, ...]
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ExplainedMatch:
    """One picture of a result list.

    Args:
        row: Its row in the catalog.
        rank: Counted from 1.
        right: Whether it is of the query's class.
        why: The explanation of its score.
    """

    row: int
    rank: int
    right: bool
    why: Explanation


@dataclass(frozen=True, slots=True)
class ExplainedResults:
    """A query with its explained result list."""

    query: int
    matches: tuple[ExplainedMatch, ...]

    @property
    def right(self) -> bool:
        """Whether the best match is of the query's class."""
        return self.matches[0].right


def draw_queries(
    model: Model, catalog: Catalog, *, right: int = 6, wrong: int = 6, shown: int = 4, seed: int = 0
) -> list[QueryResults]:
    """Search a catalog within itself and draw queries at random, some right and some wrong.

    No two queries are of one class. The list of a wrong query ends with the best right picture.

    Args:
        model: Searches.
        catalog: Queries and gallery.
        right: How many queries whose best match is of their class.
        wrong: How many queries whose best match is not.
        shown: Pictures of each result list.
        seed: Of the draw.
    """
    embedding = model.embed_catalog(catalog).embedding
    ids = torch.arange(len(catalog))
    depth = len(catalog) - 1
    ranked = top_k(model.similarity, embedding, embedding, depth, query_ids=ids).ids.numpy()
    hits = catalog.labels[ranked] == catalog.labels[:, None]
    missing = {True: right, False: wrong}
    drawn: list[QueryResults] = []
    used: set[int] = set()
    for query in np.random.default_rng(seed).permutation(len(catalog)).tolist():
        label, is_right = int(catalog.labels[query]), bool(hits[query, 0])
        if label in used or missing[is_right] == 0 or not hits[query].any():
            continue
        used.add(label)
        missing[is_right] -= 1
        places = list(range(shown))
        places[-1] = max(places[-1], int(hits[query].argmax()))
        rows = tuple(int(ranked[query, place]) for place in places)
        drawn.append(QueryResults(query, rows, tuple(place + 1 for place in places)))
    return sorted(drawn, key=lambda results: not hits[results.query, 0])


def explain_results(
    model: Model, catalog: Catalog, drawn: Sequence[QueryResults]
) -> list[ExplainedResults]:
    """Explain every match of every list; each picture goes through the network once."""
    pairs = [
        (catalog.path(results.query), catalog.path(row))
        for results in drawn
        for row in results.rows
    ]
    explanations = iter(explain_pairs(model, pairs))
    explained = []
    for results in drawn:
        label = catalog.labels[results.query]
        matches = tuple(
            ExplainedMatch(row, rank, bool(catalog.labels[row] == label), next(explanations))
            for row, rank in zip(results.rows, results.ranks, strict=True)
        )
        explained.append(ExplainedResults(results.query, matches))
    return explained
