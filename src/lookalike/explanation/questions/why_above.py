"""Why is B above C for query A: the difference of two scores, split like a score."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lookalike.data import Picture
from lookalike.explanation.account.explanation import Array, Contribution, Explanation
from lookalike.explanation.account.explanation_record import explanation_record, group_records
from lookalike.explanation.account.group_names import GroupNames
from lookalike.explanation.account.pair import explain_pairs
from lookalike.explanation.account.sentences import NODES, SLIGHT, at, how_names_hold
from lookalike.explanation.account.strongest_nodes import NodePart
from lookalike.explanation.questions.answer import Answer, Story
from lookalike.explanation.questions.catalog_pictures import name_side, require_model
from lookalike.explanation.questions.picture_tiles import map_tile, picture_tile
from lookalike.explanation.questions.shared_sentences import (
    CELL_NOTE,
    group_and_place,
    group_word,
    node_note,
    scored,
    strongest_nodes_of,
    with_values,
)
from lookalike.model import Model
from lookalike.rendering.numbers import score, signed, tiny
from lookalike.rendering.overlays import limit_of
from lookalike.rendering.sheets import SheetRow


@dataclass(frozen=True, slots=True, eq=False)
class ScoreMargin(Answer):
    """The score of A with B less that of A with C, by group, by node and by region of A.

    For cosines the map over A sums to the margin, and so do the maps over B and C together. For a
    score that is the negative of a distance, as a graph's, the maps over A, B and C together do.

    Args:
        first: A with B.
        second: A with C.
    """

    first: Explanation
    second: Explanation

    @property
    def value(self) -> float:
        """s(A, B) − s(A, C); above zero where B is above C."""
        return self.first.score - self.second.score

    @property
    def groups(self) -> tuple[Contribution, ...]:
        """What each group gave to the margin; in a graph, each level."""
        pairs = zip(self.first.groups, self.second.groups, strict=True)
        return with_values(self.first.groups, (one.value - other.value for one, other in pairs))

    @property
    def over_a(self) -> Array:
        """Groups × height × width over A: above zero where a cell speaks for B, below for C."""
        difference: Array = self.first.maps[0] - self.second.maps[0]
        return difference

    @property
    def over_b(self) -> Array:
        """The same over B, from the score of A with B."""
        return self.first.maps[1]

    @property
    def over_c(self) -> Array:
        """The same over C: below zero where C is like A, as that speaks against B being above."""
        opposite: Array = -self.second.maps[1]
        return opposite

    @property
    def gap(self) -> float:
        """How far the margin is from the sums of the groups, of the maps and of the nodes."""
        a, b, c = (float(maps.sum()) for maps in (self.over_a, self.over_b, self.over_c))
        sums = [sum(group.value for group in self.groups)]
        sums += [a + b + c] if self.first.together else [a, b + c]
        if self.first.nodes:
            sums.append(sum(float(values.sum()) for values in self.by_node))
        return max(abs(total - self.value) for total in sums)

    @property
    def by_node(self) -> tuple[Array, ...]:
        """What each node of each level gave to the margin; empty without a graph."""
        pairs = zip(self.first.nodes, self.second.nodes, strict=True)
        return tuple(one.contribution - other.contribution for one, other in pairs)

    def nodes(self, count: int = 5) -> list[NodePart]:
        """Return the nodes that gave most to the margin, for or against, the strongest first."""
        return strongest_nodes_of(self.first, self.by_node, count)

    def story(self) -> Story:
        """Say which is above, by how much, and what put it there."""
        return Story(
            question="Why is B above C for A?",
            sentences=(_verdict(self.value), *reasons(self)),
            bars=self.groups,
            measured=f"What each {group_word(self.first)} gives",
            ends=("speaks for C", "speaks for B"),
            notes=_notes(self),
        )

    def rows(self) -> tuple[SheetRow, ...]:
        """Show A, B and C, and each with its map; colours mean the same in all three."""
        (a, b), (_, c) = self.first.pictures, self.second.pictures
        maps = (self.over_a, self.over_b, self.over_c)
        over_a, over_b, over_c = (values.sum(axis=0) for values in maps)
        both = limit_of(over_b, over_c)
        pictures = (
            picture_tile(a, "A, the query"),
            picture_tile(b, f"B: {score(self.first.score)}"),
            picture_tile(c, f"C: {score(self.second.score)}"),
        )
        where = (
            map_tile(a, over_a, limit=limit_of(over_a), words="red: like B, blue: like C"),
            map_tile(b, over_b, limit=both, words="red: like A, blue: unlike A"),
            map_tile(c, over_c, limit=both, words="blue: like A, red: unlike A"),
        )
        return SheetRow("Pictures", pictures), SheetRow("Where", where)

    def record(self) -> dict[str, Any]:
        """Return the margin, what it is made of, and both scores with what they are made of."""
        return {
            "margin": self.value,
            "gap": self.gap,
            "groups": group_records(self.groups),
            "over_a": self.over_a.tolist(),
            "over_b": self.over_b.tolist(),
            "over_c": self.over_c.tolist(),
            "nodes": [values.tolist() for values in self.by_node],
            "pairs": [explanation_record(why, regions=False) for why in (self.first, self.second)],
        }


def explain_why_above(
    model: Model, a: Picture, b: Picture, c: Picture, *, names: GroupNames | None = None
) -> ScoreMargin:
    """Say why B is above C for query A: their margin by group and by region, adding up to it.

    Where C is above B, the answer says so, and what put C there.

    Args:
        model: What scores them.
        a: The query, a picture.
        b: A result.
        c: Another result, below B.
        names: Of the model's groups.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: It is not a model of this library, its head has no tokens to explain with, or
            the names do not fit.
    """
    require_model(model)
    first, second = explain_pairs(model, [(a, b), (a, c)], names=names)
    if not isinstance(c, str | Path):
        second = name_side(second, 1, "picture C")
    return ScoreMargin(first, second)


def _verdict(value: float) -> str:
    if value > 0:
        return f"B is above C by {score(value)}."
    if value < 0:
        return f"B is not above C: C is above B by {score(-value)}."
    return "B is not above C: both score the same."


def reasons(margin: ScoreMargin) -> tuple[str, ...]:
    """Say what spoke most for the one that is above, what for the other, and what both score."""
    sign, winner, loser = (1, "B", "C") if margin.value >= 0 else (-1, "C", "B")
    return (
        _most(margin, sign, winner),
        _most(margin, -sign, loser),
        scored(margin.first, "B"),
        scored(margin.second, "C"),
    )


def _most(margin: ScoreMargin, sign: int, letter: str) -> str:
    """Name the group that gave most to one side; only the place where no group did."""
    told = group_and_place(margin.groups, margin.over_a, sign=sign)
    if told is not None:
        return f"For {letter} most: {told}."
    over_a = sign * margin.over_a.sum(axis=0)
    speaks = float(over_a.clip(min=0).sum())
    if speaks <= SLIGHT * abs(margin.value):
        return f"Nothing speaks for {letter}."
    alone = len(margin.groups) == 1
    part_of = "" if alone else f"no {group_word(margin.first)} as a whole, only "
    return (
        f"For {letter}: {part_of}single cells, most {at(over_a, 'A')} "
        f"({signed(sign * speaks)} together)."
    )


def _notes(margin: ScoreMargin) -> tuple[str, ...]:
    """Say how it adds up, and what a map cannot tell."""
    maps = "the maps over A, B and C together" if margin.first.together else "the map over A"
    sums = "Levels and nodes" if margin.first.nodes else "Groups"
    levels = "Level 1 sees details, the last level whole shapes."
    return (
        f"{sums} add up to the margin, {signed(margin.value)}, and so do all cells of {maps}, "
        f"within {tiny(margin.gap)}. The strongest colour is the strongest cell: of A in its map, "
        f"of B and C together in theirs. {CELL_NOTE}",
        *(f"{nodes} {levels}" for nodes in node_note("give", margin.nodes(NODES))),
        *how_names_hold(margin.first.groups),
    )
