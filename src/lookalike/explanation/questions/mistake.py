"""Why was a wrong picture found: the best wrong result of a query against the best right one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lookalike.data import Catalog, Picture
from lookalike.errors import UsageError
from lookalike.explanation.account.group_names import GroupNames
from lookalike.explanation.questions.answer import Answer, Story
from lookalike.explanation.questions.catalog_pictures import class_of, explain_rows, row_of
from lookalike.explanation.questions.contests import Contest, contests, worst_first
from lookalike.explanation.questions.why_above import ScoreMargin, reasons
from lookalike.model import Model
from lookalike.progress import Progress
from lookalike.rendering.numbers import score
from lookalike.rendering.sheets import SheetRow


@dataclass(frozen=True, slots=True, eq=False)
class Mistake(Answer):
    """The best wrong result of a query, B, against the best right one, C.

    Args:
        margin: What puts B above C, or C above B where the query goes right.
        contest: Which pictures they are.
        classes: Of A and C, and of B.
    """

    margin: ScoreMargin
    contest: Contest
    classes: tuple[str, str]

    @property
    def wrong(self) -> bool:
        """Whether the wrong result is above the right one."""
        return self.contest.rank > 1

    def story(self) -> Story:
        """Say which is above, and what put it there."""
        (right, wrong), by = self.classes, score(abs(self.margin.value))
        (a, b), (_, c) = self.margin.first.pictures, self.margin.second.pictures
        if self.wrong:
            question = f"Why is {wrong} above {right} for a picture of {right}?"
            verdict = f"B is above by {by}; the right result has rank {self.contest.rank}."
        else:
            question = f"Does {wrong} come before {right} for a picture of {right}?"
            verdict = f"It does not: the right result is above by {by}."
        which = f"B ({wrong}) is the best wrong result, C ({right}) the best right one."
        told = self.margin.story()
        return replace(
            told,
            question=question,
            sentences=(verdict, which, *reasons(self.margin)),
            ends=("speaks for C, the right one", "speaks for B, the wrong one"),
            # The pictures are called by their classes, so their files are named here.
            notes=(f"A is {a.label}, B {b.label}, C {c.label}.", *told.notes),
        )

    def rows(self) -> tuple[SheetRow, ...]:
        """Show what the margin shows, and say which result is wrong and which right."""
        pictures, maps = self.margin.rows()
        right, wrong = self.classes
        words = (right, f"{wrong} (wrong)", f"{right} (right)")
        tiles = (tile for tile in pictures.tiles if tile is not None)
        called = tuple(replace(tile, words=each) for tile, each in zip(tiles, words, strict=True))
        return replace(pictures, tiles=called), maps

    def record(self) -> dict[str, Any]:
        """Return the margin in full, and which rows and classes they are."""
        contest, (right, wrong) = self.contest, self.classes
        return {
            "wrong": self.wrong,
            "rank_of_right": contest.rank,
            "rows": {"query": contest.query, "wrong": contest.wrong, "right": contest.right},
            "classes": {"right": right, "wrong": wrong},
        } | self.margin.record()


def explain_mistake(
    model: Model,
    catalog: Catalog,
    query: int | Picture | None = None,
    *,
    names: GroupNames | None = None,
    batch_size: int = 64,
    progress: Progress | None = None,
) -> Mistake:
    """Explain the best wrong result of a query against the best right one.

    Args:
        model: What scores them.
        catalog: Labelled; its pictures are searched for in itself.
        query: A picture of the catalog: its row, from 0, or its file; the query that goes most
            wrong if left.
        names: Of the model's groups.
        batch_size: Pictures that go through the network at once.
        progress: Told how many pictures are embedded, of how many.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: The catalog has no such picture, or it has no right or no wrong result.
    """
    queries = None if query is None else np.array([_row(catalog, query)])
    found = contests(model, catalog, queries=queries, batch_size=batch_size, progress=progress)
    return explain_contests(model, catalog, worst_first(found)[:1], names=names)[0]


def _row(catalog: Catalog, query: int | Picture) -> int:
    row = int(query) if isinstance(query, int | np.integer) else row_of(catalog, query)
    if row is None:
        raise UsageError(f"{query}: not a picture of {catalog.root} as it was read")
    if not 0 <= row < len(catalog):
        raise UsageError(f"row {row}: {catalog.root} has rows 0 to {len(catalog) - 1}")
    return row


def explain_contests(
    model: Model, catalog: Catalog, chosen: Sequence[Contest], *, names: GroupNames | None = None
) -> list[Mistake]:
    """Explain each of some contests, as `explain_mistake` does."""
    explained = []
    for contest in chosen:
        rivals = contest.wrong, contest.right
        first, second = explain_rows(
            model, catalog.path(contest.query), catalog, rivals, own=contest.query, names=names
        )
        classes = class_of(catalog, contest.right), class_of(catalog, contest.wrong)
        explained.append(Mistake(ScoreMargin(first, second), contest, classes))
    return explained
