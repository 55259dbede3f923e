"""What do A and B share beyond the background: what A shares with an average picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lookalike.data import Catalog, Picture
from lookalike.errors import UsageError
from lookalike.explanation.account.explanation import Array, Contribution, Explanation
from lookalike.explanation.account.explanation_record import explanation_record, group_records
from lookalike.explanation.account.group_names import GroupNames
from lookalike.explanation.account.pair import explain_pairs
from lookalike.explanation.account.sentences import at, how_names_hold
from lookalike.explanation.questions.answer import Answer, Story
from lookalike.explanation.questions.catalog_pictures import (
    require_model,
    row_of,
    source,
)
from lookalike.explanation.questions.picture_tiles import map_tile, picture_tile
from lookalike.explanation.questions.shared_sentences import (
    CELL_NOTE,
    group_and_place,
    group_word,
    scored,
    with_values,
)
from lookalike.model import Model
from lookalike.rendering.numbers import counted, score, signed, tiny
from lookalike.rendering.overlays import limit_of
from lookalike.rendering.sheets import SheetRow

CHUNK = 8
"""Pictures of the background that are explained at once: an account of a fine map is large."""


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """What a query gets with pictures of other classes, mean over all of them.

    Args:
        scores: Of the query with each of them.
        groups: What each group contributed; in a graph, each level.
        over_a: Groups × height × width over the query.
        over_others: The sum of the maps over the other pictures, all groups together.
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
class Beyond(Answer):
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
        return with_values(self.why.groups, (group.value - usual for group, usual in pairs))

    @property
    def over_a(self) -> Array:
        """Groups × height × width over A: the map with B less that of the background."""
        beyond: Array = self.why.maps[0] - self.background.over_a
        return beyond

    @property
    def over_others(self) -> float:
        """The sum of the map over B less that of the maps over the other pictures."""
        return float(self.why.maps[1].sum()) - self.background.over_others

    @property
    def gap(self) -> float:
        """How far `value` is from the sum of the groups and from the sum of the map over A.

        For a score that is the negative of a distance, the maps over the other pictures count too.
        """
        cells = float(self.over_a.sum()) + (self.over_others if self.why.together else 0.0)
        groups = sum(group.value for group in self.groups)
        return max(abs(groups - self.value), abs(cells - self.value))

    def story(self) -> Story:
        """Say what A gets with any picture, and what of its score with B is more than that."""
        usual, value = self.background, self.value
        reached = 100 * float((usual.scores < self.why.score).mean())
        word = group_word(self.why)
        more = "higher" if value >= 0 else "lower"
        return Story(
            question="What do A and B share that A does not share with just any picture?",
            sentences=(
                f"B scores {score(abs(value))} {more} than an average picture, {_mostly(self)}.",
                scored(self.why, "B"),
                f"With a picture of another class A scores {score(usual.score)} on average; B is "
                f"above {reached:.0f} % of {counted(len(usual.scores), 'such picture')}.",
            ),
            bars=self.groups,
            measured=f"What each {word} gives beyond the background",
            notes=(
                f"{word.capitalize()}s add up to {signed(value)} within {tiny(self.gap)}, and so "
                f"do the cells of the last map{_and_others(self)}. All maps have one scale. "
                f"{CELL_NOTE}",
                *how_names_hold(self.groups),
            ),
        )

    def rows(self) -> tuple[SheetRow, ...]:
        """Show A and B; A's map with B, with any picture, and what is left."""
        a, b = self.why.pictures
        usual = self.background
        maps = (self.why.maps[0], usual.over_a, self.over_a)
        with_b, with_any, left = (values.sum(axis=0) for values in maps)
        limit = limit_of(with_b, with_any, left)
        tiles = (
            picture_tile(a, "A"),
            picture_tile(b, "B"),
            map_tile(a, with_b, score(self.why.score), limit=limit, words="A with B"),
            map_tile(a, with_any, score(usual.score), limit=limit, words="A with any picture"),
            map_tile(a, left, signed(self.value), limit=limit, words="what is left for B"),
        )
        return (SheetRow("", tiles),)

    def record(self) -> dict[str, Any]:
        """Return what is beyond the background, the background, and the pair."""
        usual = self.background
        pairs = zip(self.groups, usual.groups.tolist(), strict=True)
        return {
            "beyond": self.value,
            "gap": self.gap,
            "groups": group_records(self.groups),
            "over_a": self.over_a.tolist(),
            "background": {
                "score": usual.score,
                "scores": usual.scores.tolist(),
                "groups": [{"name": group.name, "value": value} for group, value in pairs],
                "over_a": usual.over_a.tolist(),
                "over_others": usual.over_others,
            },
            "pair": explanation_record(self.why, regions=False),
        }


def explain_background(
    model: Model,
    a: Picture,
    b: Picture,
    catalog: Catalog,
    *,
    count: int = 64,
    seed: int = 0,
    names: GroupNames | None = None,
) -> Beyond:
    """Say what A and B share beyond what A shares with an average picture of other classes.

    The average is over pictures drawn from the data. None of them is of A's or B's class, where
    A and B are in the data, and none is A or B.

    Args:
        model: What scores them.
        a: The query, a picture.
        b: The picture that A is compared with.
        catalog: Where the average picture comes from.
        count: Pictures to draw from the data.
        seed: Of the draw.
        names: Of the model's groups.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: The catalog has fewer pictures of other classes than `count`.
    """
    require_model(model)
    (why,) = explain_pairs(model, [(a, b)], names=names)
    rows = _draw(catalog, (a, b), count, seed)
    return Beyond(why, _background(model, a, catalog, rows))


def _draw(catalog: Catalog, pair: tuple[Picture, Picture], count: int, seed: int) -> list[int]:
    if seed < 0:
        raise UsageError(f"seed = {seed}: choose 0 or more")
    own = [row for row in (row_of(catalog, picture) for picture in pair) if row is not None]
    others = np.flatnonzero(~np.isin(catalog.labels, catalog.labels[own]))
    if not 1 <= count <= len(others):
        raise UsageError(
            f"count = {count}: {catalog.root} has {len(others)} pictures of other classes than A "
            f"and B; choose from 1 to {len(others)}"
        )
    drawn: list[int] = np.random.default_rng(seed).choice(others, count, replace=False).tolist()
    return drawn


def _background(model: Model, a: Picture, catalog: Catalog, rows: Sequence[int]) -> Background:
    """Explain the query with each picture, and keep only the sums."""
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


def _mostly(beyond: Beyond) -> str:
    """Name the group and the place that most of B's own share is in."""
    sign = 1 if beyond.value >= 0 else -1
    told = group_and_place(beyond.groups, beyond.over_a, sign=sign)
    return f"mostly {told or at(sign * beyond.over_a.sum(axis=0), 'A')}"


def _and_others(beyond: Beyond) -> str:
    if not beyond.why.together:
        return ""
    return (
        f" with {signed(beyond.over_others)} from the cells of B, less those of the other pictures"
    )
