"""Which queries go most wrong, and what puts the wrong results above the right ones."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lookalike.data import Catalog
from lookalike.errors import UsageError
from lookalike.explanation.account.explanation import Contribution, Explanation
from lookalike.explanation.account.record import group_records
from lookalike.explanation.groups.subject import printable
from lookalike.explanation.measures.naming import GroupNames
from lookalike.explanation.questions.contests import contests, worst_first
from lookalike.explanation.questions.mistake import Mistake, explain_contest
from lookalike.explanation.questions.story import Answered, Story
from lookalike.model import Model
from lookalike.progress import Progress
from lookalike.rendering.sheets import Row


@dataclass(frozen=True, slots=True)
class Place:
    """Where a picture is.

    Args:
        row: Where its source names it, as `Catalog.rows` counts.
        path: As the catalog has it.
    """

    row: int
    path: str

    @staticmethod
    def of(catalog: Catalog, row: int) -> "Place":
        """Return where a picture of a catalog is."""
        return Place(int(catalog.rows[row]), printable(catalog.paths[row]))


@dataclass(frozen=True, slots=True, eq=False)
class Worst(Answered):
    """The queries whose best wrong result is furthest above the best right one, worst first.

    Args:
        mistakes: Each query's best wrong result against its best right one.
        places: For each of them, where its query, its wrong and its right result are.
        queries: How many queries were asked.
        wrong: How many of them have a wrong result above the best right one.
    """

    mistakes: tuple[Mistake, ...]
    places: tuple[tuple[Place, Place, Place], ...]
    queries: int
    wrong: int

    @property
    def groups(self) -> tuple[Contribution, ...]:
        """What each group gave to the margins, mean of those listed; in a graph, each level."""
        if not self.mistakes:
            return ()
        listed = [mistake.margin.groups for mistake in self.mistakes]
        values = np.mean([[group.value for group in groups] for groups in listed], axis=0)
        groups = zip(listed[0], values.tolist(), strict=True)
        return tuple(replace(group, value=value) for group, value in groups)

    def __str__(self) -> str:
        from lookalike.explanation.questions.worst_story import lines

        return "\n".join([str(self.story()), *lines(self)])

    def story(self) -> Story:
        """Return the answer in words."""
        from lookalike.explanation.questions.worst_story import story

        return story(self)

    def rows(self) -> tuple[Row, ...]:
        """Return each query with its wrong and its right result, and where it speaks for which."""
        from lookalike.explanation.questions.worst_story import rows

        return rows(self)

    def record(self) -> dict[str, Any]:
        """Return which queries they are, with their margins by group."""
        return {
            "asked": self.queries,
            "wrong": self.wrong,
            "groups": group_records(self.groups),
            "queries": [
                _record(mistake, places)
                for mistake, places in zip(self.mistakes, self.places, strict=True)
            ],
        }


def _record(mistake: Mistake, places: tuple[Place, Place, Place]) -> dict[str, Any]:
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


def explain_worst(
    model: Model,
    catalog: Catalog,
    *,
    count: int = 10,
    names: GroupNames | None = None,
    batch_size: int = 64,
    progress: Progress | None = None,
) -> Worst:
    """List the queries that go most wrong, and say which groups put the wrong results above.

    Args:
        model: What scores them.
        catalog: Labelled; its pictures are searched for in itself.
        count: How many, at least 1. The list ends before that where no more go wrong.
        names: Of the model's groups.
        batch_size: How many pictures go through the network at once.
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
        mistakes=tuple(explain_contest(model, catalog, contest, names=names) for contest in chosen),
        places=tuple(
            (
                Place.of(catalog, contest.query),
                Place.of(catalog, contest.wrong),
                Place.of(catalog, contest.right),
            )
            for contest in chosen
        ),
        queries=len(found),
        wrong=len(wrong),
    )
