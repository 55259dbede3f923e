"""What carried a list of results: which groups, and which places of the query."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from lookalike.data import Catalog, Picture
from lookalike.errors import UsageError
from lookalike.explanation.account.explanation import Array, Contribution, Explanation
from lookalike.explanation.account.explanation_record import explanation_record, group_records
from lookalike.explanation.account.group_names import GroupNames
from lookalike.explanation.account.sentences import NODES, at, how_names_hold
from lookalike.explanation.account.strongest_nodes import NodePart
from lookalike.explanation.questions.answer import Answer, Story
from lookalike.explanation.questions.catalog_pictures import (
    class_of,
    explain_rows,
    require_model,
    row_of,
)
from lookalike.explanation.questions.picture_tiles import map_tile, picture_tile
from lookalike.explanation.questions.shared_sentences import (
    at_most,
    group_word,
    mean_of_groups,
    node_note,
    strongest_nodes_of,
)
from lookalike.model import Model
from lookalike.progress import Progress
from lookalike.rendering.numbers import counted, score, signed, tiny
from lookalike.rendering.overlays import limit_of
from lookalike.rendering.sheets import SheetRow
from lookalike.similarity import top_k

SHOWN = 10
"""Results that are shown as pictures, at most."""


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

    @property
    def words(self) -> str:
        """Its class, and whether it is right."""
        if self.right is None:
            return self.label
        return f"{self.label} ({'right' if self.right else 'wrong'})"


@dataclass(frozen=True, slots=True, eq=False)
class ResultList(Answer):
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
        return mean_of_groups([why.groups for why in self.pairs])

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
        """The largest of the explanations' gaps and that between mean score and groups' sum."""
        total = sum(group.value for group in self.groups)
        return max(abs(total - self.score), *(why.gap for why in self.pairs))

    def nodes(self, count: int = 5) -> list[NodePart]:
        """Return the nodes of a graph that gave most, mean over the list; empty without one."""
        levels = zip(*(why.nodes for why in self.pairs), strict=True)
        means = [np.mean([nodes.contribution for nodes in level], axis=0) for level in levels]
        return strongest_nodes_of(self.pairs[0], means, count)

    def __str__(self) -> str:
        listed = [
            f"  {rank:>3}  {signed(why.score)}  {why.pictures[1].label}"
            for rank, why in enumerate(self.pairs, start=1)
        ]
        return "\n".join([str(self.story()), *listed])

    def story(self) -> Story:
        """Say what is in the list, and what carried it."""
        return Story(
            question=f"What carried the first {len(self.pairs)} results for A?",
            sentences=(*_carried(self), *_found(self)),
            bars=self.groups,
            measured=f"What each {group_word(self.pairs[0])} gives, mean of the list",
            notes=(
                f"The best of {counted(self.gallery, 'picture')}, found exactly. Groups add up to "
                f"each score within {tiny(self.gap)}. The strongest colour is the strongest cell: "
                "of A in its mean map, of all results together in theirs.",
                *node_note("give", self.nodes(NODES)),
                *how_names_hold(self.groups),
            ),
        )

    def rows(self) -> tuple[SheetRow, ...]:
        """Show A with its mean map, and each result above its own map."""
        a, mean = self.pairs[0].pictures[0], self.over_a.sum(axis=0)
        shown = list(zip(self.pairs, self.results, strict=True))[:SHOWN]
        maps = [why.maps[1].sum(axis=0) for why, _ in shown]
        limit = limit_of(*maps)
        query = (
            picture_tile(a, "A"),
            map_tile(a, mean, limit=limit_of(mean), words="mean of its maps"),
        )
        results = tuple(
            picture_tile(why.pictures[1], f"{rank}: {score(why.score)}", words=result.words)
            for rank, (why, result) in enumerate(shown, start=1)
        )
        over_results = tuple(
            map_tile(why.pictures[1], values, limit=limit)
            for (why, _), values in zip(shown, maps, strict=True)
        )
        return (
            SheetRow("Query", query),
            SheetRow("Results", results),
            SheetRow("Maps", over_results),
        )

    def record(self) -> dict[str, Any]:
        """Return the list, the groups' means and the mean map, and each result in full."""
        ranked = enumerate(zip(self.results, self.pairs, strict=True), start=1)
        return {
            "gallery": self.gallery,
            "score": self.score,
            "gap": self.gap,
            "groups": group_records(self.groups),
            "over_a": self.over_a.tolist(),
            "results": [
                {"rank": rank, "row": result.row, "class": result.label, "right": result.right}
                | {"pair": explanation_record(why, regions=False)}
                for rank, (result, why) in ranked
            ],
        }


def explain_results(
    model: Model,
    a: Picture,
    catalog: Catalog,
    *,
    k: int = 10,
    names: GroupNames | None = None,
    batch_size: int = 64,
    progress: Progress | None = None,
) -> ResultList:
    """Search pictures for A, and say which groups and regions carried the best results.

    The search is exact. Where A's file is one of the pictures, it is not a result of its own, and
    its class is known.

    Args:
        model: What scores them.
        a: The query, a picture.
        catalog: Where to search.
        k: How many results.
        names: Of the model's groups.
        batch_size: Pictures that go through the network at once.
        progress: Told how many pictures are embedded, of how many.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: The catalog has fewer than k other pictures.
    """
    require_model(model)
    own = row_of(catalog, a)
    candidates = len(catalog) - (own is not None)
    if not 1 <= k <= candidates:
        raise UsageError(
            f"k = {k}: {catalog.root} has {candidates} pictures beside the query; "
            f"choose from 1 to {candidates}"
        )
    gallery = model.embed_catalog(catalog, batch_size=batch_size, progress=progress).embedding
    asked = gallery[own] if own is not None else model.embed([a])
    ids = None if own is None else [own]
    found = top_k(model.similarity, asked, gallery, k, query_ids=ids).ids[0].tolist()
    pairs = explain_rows(model, a, catalog, found, names=names, own=own)
    results = (
        Result(
            row=int(catalog.rows[row]),
            label=class_of(catalog, row),
            right=None if own is None else bool(catalog.labels[row] == catalog.labels[own]),
        )
        for row in found
    )
    return ResultList(tuple(results), tuple(pairs), gallery=candidates)


def _carried(listed: ResultList) -> tuple[str, ...]:
    """Name the group that gave most, with its share where all have one sign, and where in A."""
    why, groups = listed.pairs[0], listed.groups
    everywhere = at(listed.over_a.sum(axis=0), "A")
    if len(groups) == 1:
        return (f"The list was carried most {everywhere}.",)
    values = [group.value for group in groups]
    most = values.index(min(values) if why.together else max(values))
    total, one_sign = sum(values), min(values) * max(values) >= 0
    share = f", {100 * values[most] / total:.0f} % of it" if one_sign and total else ""
    where = at(-listed.over_a[most] if why.together else listed.over_a[most], "A")
    if not why.together:
        return (f"Carried most by {groups[most].name}{share}, {where}.",)
    return (
        f"Most of the difference that is left: {groups[most].name}{share}, {where}.",
        f"What speaks for these results is mostly {everywhere}.",
    )


def _found(listed: ResultList) -> Iterator[str]:
    """Say how many results are right, and what the first and the last score."""
    first, last = listed.pairs[0], listed.pairs[-1]
    known = [result.right for result in listed.results if result.right is not None]
    if known:
        yield f"{known.count(True)} of {len(known)} are of A's class."
    if first.meaning is None:
        yield f"Similarity from {score(first.score)} to {score(last.score)}{at_most(first)}."
        return
    yield f"The first: similarity {score(first.score)}{at_most(first)}, {first.meaning}."
    if last is not first:
        yield f"The last: similarity {score(last.score)}, {last.meaning}."
