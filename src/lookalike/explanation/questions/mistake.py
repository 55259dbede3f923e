"""A wrong match explained against the right one, and which queries go most wrong."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lookalike.data import Catalog
from lookalike.errors import UsageError
from lookalike.explanation.measures.naming import GroupNames
from lookalike.explanation.questions.contests import Contest, contests, worst_first
from lookalike.explanation.questions.margin import Margin
from lookalike.explanation.questions.pictures import class_of, explain_rows
from lookalike.explanation.questions.story import Answered, Story
from lookalike.model import Model
from lookalike.progress import Progress
from lookalike.rendering.sheets import Row


@dataclass(frozen=True, slots=True, eq=False)
class Mistake(Answered):
    """The best wrong result of a query, B, against the best right one, C.

    Args:
        margin: What puts B above C, or C above B where the query goes right.
        contest: Which pictures they are.
        classes: Of A and C, and of B.
    """

    margin: Margin
    contest: Contest
    classes: tuple[str, str]

    @property
    def wrong(self) -> bool:
        """Whether the wrong result is in truth above the right one."""
        return self.contest.rank > 1

    def story(self) -> Story:
        """Return the answer in words."""
        from lookalike.explanation.questions.mistake_story import story

        return story(self)

    def rows(self) -> tuple[Row, ...]:
        """Return query, wrong and right result, and where each speaks for which."""
        from lookalike.explanation.questions.mistake_story import rows

        return rows(self)

    def record(self) -> dict[str, Any]:
        """Return the margin in full, and which rows and classes they are."""
        return {
            "wrong": self.wrong,
            "rank_of_right": self.contest.rank,
            "rows": {
                "query": self.contest.query,
                "wrong": self.contest.wrong,
                "right": self.contest.right,
            },
            "classes": {"right": self.classes[0], "wrong": self.classes[1]},
        } | self.margin.record()


def explain_mistake(
    model: Model,
    catalog: Catalog,
    row: int | None = None,
    *,
    names: GroupNames | None = None,
    batch_size: int = 64,
    progress: Progress | None = None,
) -> Mistake:
    """Explain the best wrong result of a query against the best right one.

    Args:
        model: What scores them.
        catalog: Labelled; its pictures are searched for in itself.
        row: The query's number in the catalog, from 0; None is the query that goes most wrong.
        names: Of the model's groups.
        batch_size: How many pictures go through the network at once.
        progress: Told how many pictures are embedded, of how many.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: There is no such row, or it has no right or no wrong result.
    """
    if row is not None and not 0 <= row < len(catalog):
        raise UsageError(f"row {row}: {catalog.root} has rows 0 to {len(catalog) - 1}")
    queries = None if row is None else np.array([row])
    found = contests(model, catalog, queries=queries, batch_size=batch_size, progress=progress)
    return explain_contest(model, catalog, worst_first(found)[0], names=names)


def explain_contest(
    model: Model, catalog: Catalog, contest: Contest, *, names: GroupNames | None = None
) -> Mistake:
    """Explain one contest, as `explain_mistake` does."""
    query, rivals = contest.query, (contest.wrong, contest.right)
    first, second = explain_rows(
        model, catalog.path(query), catalog, rivals, own=query, names=names
    )
    classes = class_of(catalog, contest.right), class_of(catalog, contest.wrong)
    return Mistake(Margin(first, second), contest, classes)


def worst_queries(
    model: Model,
    catalog: Catalog,
    *,
    count: int = 10,
    batch_size: int = 64,
    progress: Progress | None = None,
) -> list[Contest]:
    """List the queries whose best wrong result is furthest above the best right one.

    Args:
        model: What scores them.
        catalog: Labelled; its pictures are searched for in itself.
        count: How many, at least 1. The list ends before that where no more go wrong.
        batch_size: How many pictures go through the network at once.
        progress: Told how many pictures are embedded, of how many.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: The count is below 1, or no query has both a right and a wrong result.
    """
    if count < 1:
        raise UsageError(f"count = {count}: ask for at least one query")
    found = contests(model, catalog, batch_size=batch_size, progress=progress)
    return [contest for contest in worst_first(found) if contest.rank > 1][:count]
