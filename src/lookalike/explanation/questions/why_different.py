"""Why are A and B different: what their score lacks of the score of a picture with itself."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from lookalike.data import Picture
from lookalike.explanation.account.explanation import Array, Contribution, Explanation
from lookalike.explanation.account.explanation_record import explanation_record, group_records
from lookalike.explanation.account.group_names import GroupNames
from lookalike.explanation.account.pair import explain_pairs
from lookalike.explanation.account.sentences import NODES, NONE_AGAINST, against, at, how_names_hold
from lookalike.explanation.account.strongest_nodes import NodePart
from lookalike.explanation.questions.answer import Answer, Story
from lookalike.explanation.questions.catalog_pictures import require_model
from lookalike.explanation.questions.picture_tiles import map_tile, picture_tile
from lookalike.explanation.questions.shared_sentences import (
    CELL_NOTE,
    group_word,
    node_note,
    scored,
    strongest_nodes_of,
    with_values,
)
from lookalike.model import Model
from lookalike.rendering.numbers import percent, score, tiny
from lookalike.rendering.overlays import limit_of
from lookalike.rendering.sheets import SheetRow

NOTHING = 1e-6
"""What is missing below this is rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Difference(Answer):
    """What the score of A and B lacks of a perfect one, by group, by node and by region.

    A perfect score is that of a picture with itself: the mean of A's and B's. For cosines a group
    lacks w‖e_A − e_B‖² / 2, which is never below zero. A cell lacks what it gives to the score of
    its picture with itself, less what it gives to the score with the other picture. All cells of A
    sum to what is missing from A's own score, and those of B to what is missing from B's. For a
    score that is the negative of a distance, as a graph's, the cells of both together sum to what
    is missing.

    Args:
        why: A with B.
        with_itself: A with A, and B with B.
    """

    why: Explanation
    with_itself: tuple[Explanation, Explanation]

    @property
    def perfect(self) -> float:
        """The score of a picture with itself, mean of A's and B's."""
        a, b = self.with_itself
        return (a.score + b.score) / 2

    @property
    def value(self) -> float:
        """What is missing: the perfect score less the score."""
        return self.perfect - self.why.score

    @property
    def groups(self) -> tuple[Contribution, ...]:
        """What each group lacks; in a graph, each level."""
        a, b = (own.groups for own in self.with_itself)
        together = zip(self.why.groups, a, b, strict=True)
        lacking = ((own_a.value + own_b.value) / 2 - both.value for both, own_a, own_b in together)
        return with_values(self.why.groups, lacking)

    @property
    def maps(self) -> tuple[Array, Array]:
        """Groups × height × width over A and over B: what each cell lacks."""
        a, b = (own.maps[side] - self.why.maps[side] for side, own in enumerate(self.with_itself))
        return a, b

    @property
    def by_node(self) -> tuple[Array, ...]:
        """What each node of each level lacks; empty without a graph.

        A picture has no distance from itself, so this is what the node takes from the score.
        """
        return tuple(-level.contribution for level in self.why.nodes)

    @property
    def gap(self) -> float:
        """How far what is missing is from the sums of the groups, of the maps and of the nodes."""
        a, b = (float(maps.sum()) for maps in self.maps)
        sums = [(sum(group.value for group in self.groups), self.value)]
        if self.why.together:
            sums.append((a + b, self.value))
        else:
            own = (each.score - self.why.score for each in self.with_itself)
            sums += zip((a, b), own, strict=True)
        if self.why.nodes:
            sums.append((sum(float(values.sum()) for values in self.by_node), self.value))
        return max(abs(total - expected) for total, expected in sums)

    def nodes(self, count: int = 5) -> list[NodePart]:
        """Return the nodes of a graph that set A and B apart most, the strongest first."""
        return strongest_nodes_of(self.why, self.by_node, count)

    def story(self) -> Story:
        """Say how much is missing, and in which group and which places."""
        same = self.value < NOTHING
        # Bars show what is taken from a full score, so that blue means the same as in a map.
        taken = with_values(self.groups, (-group.value for group in self.groups))
        return Story(
            question="Why are A and B different?",
            sentences=(*_verdict(self), scored(self.why, "B"), *_against(self)),
            bars=() if same else taken,
            measured=f"What each {group_word(self.why)} takes from a full score",
            ends=("sets them apart", "makes up for it"),
            notes=(*_notes(self), *how_names_hold(self.why.groups)),
        )

    def rows(self) -> tuple[SheetRow, ...]:
        """Show A and B, and over each what the other lacks of it: blue, below zero."""
        a, b = self.why.pictures
        over_a, over_b = (-maps.sum(axis=0) for maps in self.maps)
        limit = limit_of(over_a, over_b)
        tiles = (
            picture_tile(a, "A"),
            picture_tile(b, "B"),
            map_tile(a, over_a, limit=limit, words="blue: B lacks this of A"),
            map_tile(b, over_b, limit=limit, words="blue: A lacks this of B"),
        )
        return (SheetRow("", tiles),)

    def record(self) -> dict[str, Any]:
        """Return what is missing, where and in which groups, and the pair."""
        over_a, over_b = self.maps
        return {
            "missing": self.value,
            "perfect": self.perfect,
            "gap": self.gap,
            "groups": group_records(self.groups),
            "over_a": over_a.tolist(),
            "over_b": over_b.tolist(),
            "nodes": [values.tolist() for values in self.by_node],
            "pair": explanation_record(self.why, regions=False),
        }


def explain_why_different(
    model: Model, a: Picture, b: Picture, *, names: GroupNames | None = None
) -> Difference:
    """Say why two pictures are different: what their score lacks, by group and by region.

    Args:
        model: What scores them.
        a: A picture.
        b: Another picture.
        names: Of the model's groups.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: It is not a model of this library, its head has no tokens to explain with, or
            the names do not fit.
    """
    require_model(model)
    why, with_a, with_b = explain_pairs(model, [(a, b), (a, a), (b, b)], names=names)
    return Difference(why, (with_a, with_b))


def _verdict(found: Difference) -> Iterator[str]:
    value, groups = found.value, found.groups
    if value < NOTHING:
        yield "Nothing sets them apart."
        return
    order = sorted(range(len(groups)), key=lambda group: -groups[group].value)
    most, least = order[0], order[-1]
    a, b = (at(maps[most], letter) for maps, letter in zip(found.maps, "AB", strict=True))
    if len(groups) == 1:
        yield f"They differ most {a} and {b}."
    else:
        first, last = groups[most], groups[least]
        part = percent(first.value / value)
        yield f"They differ most in {first.name}, {a} and {b}: {part} of what is missing."
        yield f"They differ least in {last.name}: {percent(last.value / value)}."
    yield (
        f"Their score is {score(value)} below the {score(found.perfect)} of a picture with itself."
    )


def _against(found: Difference) -> tuple[str, ...]:
    """Say what counts against the score itself, where parts of a score can be below zero."""
    if found.value < NOTHING or found.why.together:
        return ()
    told = against(found.why, "AB")
    if told == NONE_AGAINST:
        return ("Nothing counts against their score; they only have too little in common.",)
    return (told,)


def _notes(found: Difference) -> tuple[str, ...]:
    sums = "Levels and nodes" if found.why.nodes else "Groups"
    cells = "all cells of both maps together" if found.why.together else "all cells of each map"
    nodes = [replace(node, value=-node.value) for node in found.nodes(NODES)]
    return (
        f"{sums} add up to what is missing, {score(found.value)}, and so do {cells}, within "
        f"{tiny(found.gap)}. A cell shows what it gives to the score of its picture with itself, "
        f"less what it gives to the score with the other. Both maps have one scale. {CELL_NOTE}",
        *node_note("set them apart", nodes),
    )
