"""Which queries go most wrong, and what puts the wrong results above the right ones."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lookalike.data import Catalog
from lookalike.errors import UsageError
from lookalike.explanation.account.explanation import Contribution, Explanation
from lookalike.explanation.account.explanation_record import group_records
from lookalike.explanation.account.group_names import GroupNames
from lookalike.explanation.account.sentences import how_names_hold, strongest
from lookalike.explanation.questions.answer import Answer, Story
from lookalike.explanation.questions.contests import contests, worst_first
from lookalike.explanation.questions.mistake import Mistake, explain_contests
from lookalike.explanation.questions.picture_tiles import map_tile, picture_tile
from lookalike.explanation.questions.shared_sentences import (
    CELL_NOTE,
    group_and_value,
    group_word,
    mean_of_groups,
    score_and_meaning,
)
from lookalike.model import Model
from lookalike.progress import Progress
from lookalike.rendering.labels import printable
from lookalike.rendering.numbers import score, signed
from lookalike.rendering.overlays import limit_of
from lookalike.rendering.sheets import SheetRow

SHOWN = 6
"""Queries that are shown as pictures, at most."""
QUESTION = "Which queries go most wrong?"


@dataclass(frozen=True, slots=True)
class CatalogRow:
    """Where a picture of a catalog is.

    Args:
        row: Where its source names it, as `Catalog.rows` counts.
        path: As the catalog has it.
    """

    row: int
    path: str

    @staticmethod
    def of(catalog: Catalog, row: int) -> "CatalogRow":
        """Return where a picture of a catalog is."""
        return CatalogRow(int(catalog.rows[row]), printable(catalog.paths[row]))


@dataclass(frozen=True, slots=True, eq=False)
class Worst(Answer):
    """The queries whose best wrong result is furthest above the best right one, worst first.

    Args:
        mistakes: Each query's best wrong result against its best right one.
        places: For each of them, where its query, its wrong and its right result are.
        queries: How many queries were asked.
        wrong: How many of them have a wrong result above the best right one.
    """

    mistakes: tuple[Mistake, ...]
    places: tuple[tuple[CatalogRow, CatalogRow, CatalogRow], ...]
    queries: int
    wrong: int

    @property
    def groups(self) -> tuple[Contribution, ...]:
        """What each group gave to the margins, mean of those listed; in a graph, each level."""
        if not self.mistakes:
            return ()
        return mean_of_groups([mistake.margin.groups for mistake in self.mistakes])

    def __str__(self) -> str:
        return "\n".join([str(self.story()), *_lines(self)])

    def story(self) -> Story:
        """Say what goes most wrong, how many queries do, and what puts the wrong ones above."""
        if not self.mistakes:
            return Story(QUESTION, ("None: no query has a wrong result above the best right one.",))
        first, listed = self.mistakes[0], len(self.mistakes)
        right, wrong = first.classes
        return Story(
            question=QUESTION,
            sentences=(
                f"A picture of {right}: {wrong} is {score(first.margin.value)} above the right "
                f"result, which has rank {first.contest.rank}.",
                f"{self.wrong} of {self.queries} queries, {100 * self.wrong / self.queries:.0f} %, "
                f"have a wrong result above the best right one; listed here: {listed}.",
                *_due_to(self),
                f"The wrong result scores {score_and_meaning(first.margin.first)}.",
                f"The right result scores {score_and_meaning(first.margin.second)}.",
            ),
            bars=self.groups,
            measured=f"What each {group_word(first.margin.first)} gives to the wrong one, mean of "
            "those listed",
            ends=("speaks for the right one", "speaks for the wrong one"),
            notes=(
                f"Pictures are shown of the first {min(SHOWN, listed)}. In bold: the wrong one's "
                "score less the right one's. The strongest colour is the strongest cell of all "
                f"maps. {CELL_NOTE}",
                *how_names_hold(self.groups),
            ),
        )

    def rows(self) -> tuple[SheetRow, ...]:
        """Show each query beside its wrong and its right result, and where it speaks for which."""
        shown = self.mistakes[:SHOWN]
        maps = [mistake.margin.over_a.sum(axis=0) for mistake in shown]
        limit = limit_of(*maps)
        rows = []
        for mistake, values, (query, _, _) in zip(shown, maps, self.places, strict=False):
            (a, b), (_, c) = mistake.margin.first.pictures, mistake.margin.second.pictures
            (right, wrong), contest = mistake.classes, mistake.contest
            right_words = f"{right} (right), rank {contest.rank}"
            tiles = (
                picture_tile(a, "the query", words=right),
                picture_tile(b, score(contest.wrong_score), words=f"{wrong} (wrong)"),
                picture_tile(c, score(contest.right_score), words=right_words),
                map_tile(a, values, limit=limit, words="red: like the wrong one"),
            )
            most = _most(mistake.margin.groups)
            notes = (f"row {query.row}", *([f"mostly {most}"] if most else []))
            rows.append(SheetRow(signed(mistake.margin.value), tiles, notes))
        return tuple(rows)

    def record(self) -> dict[str, Any]:
        """Return which queries they are, with their margins by group."""
        listed = zip(self.mistakes, self.places, strict=True)
        return {
            "asked": self.queries,
            "wrong": self.wrong,
            "groups": group_records(self.groups),
            "queries": [_record(mistake, places) for mistake, places in listed],
        }


def explain_worst(
    model: Model,
    catalog: Catalog,
    *,
    count: int = 10,
    names: GroupNames | None = None,
    batch_size: int = 64,
    progress: Progress | None = None,
) -> Worst:
    """List the queries whose best wrong result is furthest above the best right one.

    The list has fewer than `count` where fewer go wrong.

    Args:
        model: What scores them.
        catalog: Labelled; its pictures are searched for in itself.
        count: Queries to list.
        names: Of the model's groups.
        batch_size: Pictures that go through the network at once.
        progress: Told how many pictures are embedded, of how many.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: The count is below 1, or no query has both a right and a wrong result.
    """
    if count < 1:
        raise UsageError(f"count = {count}: ask for at least one query")
    found = contests(model, catalog, batch_size=batch_size, progress=progress)
    wrong = [contest for contest in worst_first(found) if contest.rank > 1]
    chosen = wrong[:count]
    return Worst(
        mistakes=tuple(explain_contests(model, catalog, chosen, names=names)),
        places=tuple(
            (
                CatalogRow.of(catalog, contest.query),
                CatalogRow.of(catalog, contest.wrong),
                CatalogRow.of(catalog, contest.right),
            )
            for contest in chosen
        ),
        queries=len(found),
        wrong=len(wrong),
    )


def _due_to(worst: Worst) -> tuple[str, ...]:
    most = _most(worst.groups)
    return (f"What puts the wrong ones above is mostly {most} on average.",) if most else ()


def _most(groups: tuple[Contribution, ...]) -> str:
    """Name the group that gave most to the wrong one; empty where there is only one group."""
    most = strongest(groups, sign=1)
    return "" if most is None or len(groups) == 1 else group_and_value(groups[most])


def _lines(worst: Worst) -> Iterator[str]:
    """Write a line for each query: what was found in place of its class."""
    for mistake, (query, _, _) in zip(worst.mistakes, worst.places, strict=True):
        (right, wrong), contest = mistake.classes, mistake.contest
        most = _most(mistake.margin.groups)
        yield (
            f"row {query.row:<6} {query.path}: {wrong} {score(contest.wrong_score)} above {right} "
            f"{score(contest.right_score)}, which has rank {contest.rank}"
            f"{f'; mostly {most}' if most else ''}"
        )


def _record(mistake: Mistake, places: tuple[CatalogRow, CatalogRow, CatalogRow]) -> dict[str, Any]:
    (right, wrong), contest = mistake.classes, mistake.contest
    kinds = zip(("query", "wrong", "right"), places, (right, wrong, right), strict=True)
    return {
        **{kind: {"row": at.row, "path": at.path, "class": label} for kind, at, label in kinds},
        "wrong_score": contest.wrong_score,
        "wrong_percentiles": _percentiles(mistake.margin.first),
        "right_score": contest.right_score,
        "right_percentiles": _percentiles(mistake.margin.second),
        "margin": contest.margin,
        "rank_of_right": contest.rank,
        "groups": group_records(mistake.margin.groups),
    }


def _percentiles(why: Explanation) -> dict[str, float | None]:
    return {"same": why.percentile_same, "different": why.percentile_different}
