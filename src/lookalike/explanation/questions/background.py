"""What a pair has beyond the background: less what the same query gets with any picture."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from lookalike.data import Catalog, Picture
from lookalike.errors import UsageError
from lookalike.explanation.account.explanation import Array, Contribution, Explanation
from lookalike.explanation.account.pair import explain_pairs
from lookalike.explanation.account.record import group_records, record
from lookalike.explanation.measures.naming import GroupNames
from lookalike.explanation.questions.pictures import called, require_model, row_of, source
from lookalike.explanation.questions.story import Answered, Story
from lookalike.model import Model
from lookalike.rendering.sheets import Row

CHUNK = 8
"""Pictures of the background that are explained at once: an account of a fine map is large."""


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """What a query gets with pictures of other classes, mean over all of them.

    Args:
        scores: Of the query with each of them.
        groups: What each group contributed; in a graph, each level.
        over_a: Groups × height × width over the query.
        over_others: What the maps over the other pictures added up to, all groups together.
    """

    scores: npt.NDArray[np.float64]
    groups: Array
    over_a: Array
    over_others: float

    @property
    def score(self) -> float:
        """The mean score."""
        return float(self.scores.mean())


@dataclass(frozen=True, slots=True, eq=False)
class Beyond(Answered):
    """The account of a pair, less that of the query with an average picture.

    Args:
        why: A with B.
        background: A with pictures of other classes.
    """

    why: Explanation
    background: Background

    @property
    def value(self) -> float:
        """The score less the mean score of the background."""
        return self.why.score - self.background.score

    @property
    def groups(self) -> tuple[Contribution, ...]:
        """What each group gave beyond the background; in a graph, each level."""
        pairs = zip(self.why.groups, self.background.groups.tolist(), strict=True)
        return tuple(replace(group, value=group.value - usual) for group, usual in pairs)

    @property
    def over_a(self) -> Array:
        """Groups × height × width over A, likewise."""
        beyond: Array = self.why.maps[0] - self.background.over_a
        return beyond

    @property
    def gap(self) -> float:
        """How far `value` is from the sums of the groups and of the map over A.

        Of a score that is a difference, what the maps over the other pictures add is taken in.
        """
        over_a = float(self.over_a.sum())
        if self.why.together:
            over_a += float(self.why.maps[1].sum()) - self.background.over_others
        groups = sum(group.value for group in self.groups)
        return max(abs(groups - self.value), abs(over_a - self.value))

    def story(self) -> Story:
        """Return the answer in words."""
        from lookalike.explanation.questions.background_story import story

        return story(self)

    def rows(self) -> tuple[Row, ...]:
        """Return A and B, and A's map before and after the background is taken away."""
        from lookalike.explanation.questions.background_story import rows

        return rows(self)

    def record(self) -> dict[str, Any]:
        """Return what is beyond the background, the background, and the pair."""
        usual = self.background
        names = [group.name for group in self.groups]
        return {
            "beyond": self.value,
            "gap": self.gap,
            "groups": group_records(self.groups),
            "over_a": self.over_a.tolist(),
            "background": {
                "score": usual.score,
                "scores": usual.scores.tolist(),
                "groups": [
                    {"name": name, "value": value}
                    for name, value in zip(names, usual.groups.tolist(), strict=True)
                ],
                "over_a": usual.over_a.tolist(),
                "over_others": usual.over_others,
            },
            "pair": record(self.why, regions=False),
        }


def against_background(
    model: Model,
    a: Picture,
    b: Picture,
    catalog: Catalog,
    *,
    count: int = 64,
    seed: int = 0,
    names: GroupNames | None = None,
) -> Beyond:
    """Explain what A and B share beyond what A shares with an average picture.

    The average is over pictures drawn from a catalog that are of neither's class, as far as A and
    B are in the catalog; A and B themselves are never drawn.

    Args:
        model: What scores them.
        a: The query: a path, a PIL image, or a uint8 array (height, width, 3).
        b: The other picture.
        catalog: Where the average picture comes from.
        count: Pictures to draw, at least 1.
        seed: Of the draw.
        names: Of the model's groups.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: The catalog has not so many pictures of other classes.
    """
    require_model(model)
    why = called(explain_pairs(model, [(a, b)])[0], names)
    rows = _draw(catalog, (a, b), count, seed)
    return Beyond(why, _background(model, a, catalog, rows))


def _draw(catalog: Catalog, pair: tuple[Picture, Picture], count: int, seed: int) -> list[int]:
    own = [row for row in (row_of(catalog, picture) for picture in pair) if row is not None]
    others = np.flatnonzero(~np.isin(catalog.labels, catalog.labels[own]))
    if not 1 <= count <= len(others):
        raise UsageError(
            f"count = {count}: {catalog.root} has {len(others)} pictures of other classes than A "
            f"and B; choose from 1 to {len(others)}"
        )
    drawn: list[int] = np.random.default_rng(seed).choice(others, count, replace=False).tolist()
    return drawn


def _background(model: Model, a: Picture, catalog: Catalog, rows: list[int]) -> Background:
    """Explain the query with each picture, and keep the sums alone."""
    scores: list[float] = []
    groups: list[list[float]] = []
    over_a: list[Array] = []
    over_others: list[float] = []
    for start in range(0, len(rows), CHUNK):
        chosen = rows[start : start + CHUNK]
        pairs = [(a, source(catalog, row, model.preprocessing)) for row in chosen]
        explained = explain_pairs(model, pairs)
        scores += [why.score for why in explained]
        groups += [[group.value for group in why.groups] for why in explained]
        over_a.append(np.sum([why.maps[0] for why in explained], axis=0))
        over_others += [float(why.maps[1].sum()) for why in explained]
    return Background(
        scores=np.array(scores),
        groups=np.mean(groups, axis=0),
        over_a=np.sum(over_a, axis=0) / len(rows),
        over_others=float(np.mean(over_others)),
    )
