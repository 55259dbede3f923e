"""What a search found for a few queries, right and wrong, each match with its explanation."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from lookalike.data import Catalog
from lookalike.explanation import Explanation, explain_pairs
from lookalike.model import Model
from lookalike.similarity import top_k


@dataclass(frozen=True, slots=True)
class Card:
    """One picture of a result list.

    Args:
        row: Its row in the catalog.
        rank: Counted from 1.
        right: Whether it is of the query's class.
        why: The score of query and picture, explained.
    """

    row: int
    rank: int
    right: bool
    why: Explanation


@dataclass(frozen=True, slots=True)
class Found:
    """A query's result list before anybody explained it.

    Args:
        query: Its row in the catalog.
        rows: Of the pictures to show, best first.
        ranks: Counted from 1; the last may be far down, where it is the best right picture.
    """

    query: int
    rows: tuple[int, ...]
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """A query with its explained result list."""

    query: int
    cards: tuple[Card, ...]

    @property
    def right(self) -> bool:
        """Whether the best match is of the query's class."""
        return self.cards[0].right


def find(
    model: Model, catalog: Catalog, *, right: int = 6, wrong: int = 6, shown: int = 4, seed: int = 0
) -> list[Found]:
    """Search a catalog within itself and draw queries at random, some right and some wrong.

    No two queries are of one class. A wrong query's list ends with the best picture that would
    have been right.

    Args:
        model: Searches.
        catalog: Queries and gallery.
        right: Queries whose best match is of their class.
        wrong: Queries whose best match is not.
        shown: Pictures of each result list.
        seed: Of the draw.
    """
    embedding = model.embed_catalog(catalog).embedding
    everyone = torch.arange(len(catalog))
    ranked = top_k(
        model.similarity, embedding, embedding, len(catalog) - 1, query_ids=everyone
    ).ids.numpy()
    hits = catalog.labels[ranked] == catalog.labels[:, None]
    wanted = {True: right, False: wrong}
    drawn: list[Found] = []
    used: set[int] = set()
    for query in np.random.default_rng(seed).permutation(len(catalog)).tolist():
        label, correct = int(catalog.labels[query]), bool(hits[query, 0])
        if label in used or wanted[correct] == 0 or not hits[query].any():
            continue
        used.add(label)
        wanted[correct] -= 1
        places = list(range(shown))
        best = int(hits[query].argmax())
        if best >= shown:
            places[-1] = best
        rows = tuple(int(ranked[query, place]) for place in places)
        drawn.append(Found(query, rows, tuple(place + 1 for place in places)))
    return sorted(drawn, key=lambda found: not hits[found.query, 0])


def explain_findings(model: Model, catalog: Catalog, found: Sequence[Found]) -> list[Finding]:
    """Explain every match of every list, all pictures going through the network once."""
    pairs = [
        (catalog.path(result.query), catalog.path(row)) for result in found for row in result.rows
    ]
    explained = iter(explain_pairs(model, pairs))
    findings = []
    for result in found:
        label = catalog.labels[result.query]
        cards = tuple(
            Card(row, rank, bool(catalog.labels[row] == label), next(explained))
            for row, rank in zip(result.rows, result.ranks, strict=True)
        )
        findings.append(Finding(result.query, cards))
    return findings
