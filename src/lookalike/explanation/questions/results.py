"""A whole result list summarised: which groups, and which parts of the query, carried it."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lookalike.data import Catalog, Picture
from lookalike.errors import UsageError
from lookalike.explanation.account.explanation import Array, Contribution, Explanation
from lookalike.explanation.account.record import group_records, record
from lookalike.explanation.graph.node_parts import NodePart, strongest_nodes
from lookalike.explanation.measures.naming import GroupNames
from lookalike.explanation.questions.pictures import class_of, explain_rows, require_model, row_of
from lookalike.explanation.questions.story import Answered, Story
from lookalike.model import Model
from lookalike.progress import Progress
from lookalike.rendering.numbers import signed
from lookalike.rendering.sheets import Row
from lookalike.similarity import top_k


@dataclass(frozen=True, slots=True)
class Result:
    """One picture of a result list.

    Args:
        row: Where its source names it, as `Catalog.rows` counts.
        label: Its class.
        right: Whether it is of the query's class; None where that is not known.
    """

    row: int
    label: str
    right: bool | None


@dataclass(frozen=True, slots=True, eq=False)
class ResultList(Answered):
    """The results of a query, best first, and what carried them.

    Args:
        results: What they are.
        pairs: The query with each of them.
        gallery: How many pictures were searched.
    """

    results: tuple[Result, ...]
    pairs: tuple[Explanation, ...]
    gallery: int

    @property
    def groups(self) -> tuple[Contribution, ...]:
        """What each group contributed, mean over the list; in a graph, each level."""
        values = np.mean([[group.value for group in why.groups] for why in self.pairs], axis=0)
        groups = zip(self.pairs[0].groups, values.tolist(), strict=True)
        return tuple(replace(group, value=value) for group, value in groups)

    @property
    def score(self) -> float:
        """The mean score of the list."""
        return float(np.mean([why.score for why in self.pairs]))

    @property
    def over_a(self) -> Array:
        """Groups × height × width over the query: the mean of its maps over the list."""
        mean: Array = np.mean([why.maps[0] for why in self.pairs], axis=0)
        return mean

    @property
    def gap(self) -> float:
        """The largest of the explanations' gaps, or of the mean score and the groups' sum."""
        total = sum(group.value for group in self.groups)
        return max(abs(total - self.score), *(why.gap for why in self.pairs))

    def nodes(self, count: int = 5) -> list[NodePart]:
        """Return the nodes of a graph that gave most, mean over the list; empty without one."""
        first = self.pairs[0]
        levels = [
            (level.name, np.mean([why.nodes[i].contribution for why in self.pairs], axis=0))
            for i, level in enumerate(first.nodes)
        ]
        return strongest_nodes(levels, count=count, names=first.node_names)

    def __str__(self) -> str:
        listed = [
            f"  {rank:>3}  {signed(why.score)}  {why.pictures[1].label}"
            for rank, why in enumerate(self.pairs, start=1)
        ]
        return "\n".join([str(self.story()), *listed])

    def story(self) -> Story:
        """Return the answer in words."""
        from lookalike.explanation.questions.results_story import story

        return story(self)

    def rows(self) -> tuple[Row, ...]:
        """Return the query with the mean map, and the results with theirs."""
        from lookalike.explanation.questions.results_story import rows

        return rows(self)

    def record(self) -> dict[str, Any]:
        """Return the list, the groups' means and the mean map, and each result in full."""
        return {
            "gallery": self.gallery,
            "score": self.score,
            "gap": self.gap,
            "groups": group_records(self.groups),
            "over_a": self.over_a.tolist(),
            "results": [
                {"rank": rank, "row": result.row, "class": result.label, "right": result.right}
                | {"pair": record(why, regions=False)}
                for rank, (result, why) in enumerate(
                    zip(self.results, self.pairs, strict=True), start=1
                )
            ],
        }


def summarise_results(
    model: Model,
    query: Picture,
    catalog: Catalog,
    *,
    k: int = 10,
    names: GroupNames | None = None,
    batch_size: int = 64,
    progress: Progress | None = None,
) -> ResultList:
    """Search a catalog for a picture, and say what carried the k best results.

    The search is exact. Where the query's file is in the catalog, it is no result of its own, and
    its class is known.

    Args:
        model: What scores them.
        query: A path, a PIL image, or a uint8 array (height, width, 3).
        catalog: Where to search.
        k: How many results.
        names: Of the model's groups.
        batch_size: How many pictures go through the network at once.
        progress: Told how many pictures are embedded, of how many.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: The catalog has fewer than k other pictures.
    """
    require_model(model)
    own = row_of(catalog, query)
    candidates = len(catalog) - (own is not None)
    if not 1 <= k <= candidates:
        raise UsageError(
            f"k = {k}: {catalog.root} has {candidates} pictures beside the query; "
            f"choose from 1 to {candidates}"
        )
    gallery = model.embed_catalog(catalog, batch_size=batch_size, progress=progress).embedding
    asked = gallery[own] if own is not None else model.embed([query])
    ids = None if own is None else [own]
    found = top_k(model.similarity, asked, gallery, k, query_ids=ids).ids[0].tolist()
    pairs = explain_rows(model, query, catalog, found, names=names, own=own)
    return ResultList(
        tuple(_result(catalog, row, own) for row in found), tuple(pairs), gallery=candidates
    )


def _result(catalog: Catalog, row: int, own: int | None) -> Result:
    right = None if own is None else bool(catalog.labels[row] == catalog.labels[own])
    return Result(int(catalog.rows[row]), class_of(catalog, row), right)
