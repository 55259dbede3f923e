"""Why are two pictures different: what their score lacks of what either scores with itself."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lookalike.data import Picture
from lookalike.explanation.account.explanation import Array, Contribution, Explanation
from lookalike.explanation.account.pair import explain_pairs
from lookalike.explanation.account.record import group_records, record
from lookalike.explanation.graph.node_parts import NodePart, strongest_nodes
from lookalike.explanation.measures.naming import GroupNames
from lookalike.explanation.questions.pictures import called, require_model
from lookalike.explanation.questions.story import Answered, Story
from lookalike.model import Model
from lookalike.rendering.sheets import Row


@dataclass(frozen=True, slots=True, eq=False)
class Difference(Answered):
    """What the score of A and B lacks of a perfect one, by group, by node and by region.

    A perfect score is what a picture has with itself, the mean of A's and B's. Of cosines a group
    lacks w‖e_A − e_B‖² / 2, which is never below zero. A cell lacks what it gives to the score of
    its picture with itself, less what it gives to the score with the other: all cells of A sum to
    what is missing from A's own score, and those of B likewise. Of a score that is a difference, as
    a graph's, the cells of both together sum to what is missing.

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
        return tuple(
            replace(group, value=(own_a.value + own_b.value) / 2 - group.value)
            for group, own_a, own_b in zip(
                self.why.groups, *(own.groups for own in self.with_itself), strict=True
            )
        )

    @property
    def maps(self) -> tuple[Array, Array]:
        """Groups × height × width over A and over B: what each cell lacks."""
        a, b = (own.maps[side] - self.why.maps[side] for side, own in enumerate(self.with_itself))
        return a, b

    @property
    def by_node(self) -> tuple[Array, ...]:
        """What each node of each level lacks; empty without a graph.

        Nothing sets a picture apart from itself, so it is what a node takes from the score.
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
            sums.append((float(np.sum([values.sum() for values in self.by_node])), self.value))
        return max(abs(total - expected) for total, expected in sums)

    def nodes(self, count: int = 5) -> list[NodePart]:
        """Return the nodes of a graph that set A and B apart most, the strongest first."""
        names = (level.name for level in self.why.nodes)
        levels = list(zip(names, self.by_node, strict=True))
        return strongest_nodes(levels, count=count, names=self.why.node_names)

    def story(self) -> Story:
        """Return the answer in words."""
        from lookalike.explanation.questions.difference_story import story

        return story(self)

    def rows(self) -> tuple[Row, ...]:
        """Return A and B, and what of either is missing in the other."""
        from lookalike.explanation.questions.difference_story import rows

        return rows(self)

    def record(self) -> dict[str, Any]:
        """Return what is missing, where and by which parts, and the pair."""
        over_a, over_b = self.maps
        return {
            "missing": self.value,
            "perfect": self.perfect,
            "gap": self.gap,
            "groups": group_records(self.groups),
            "over_a": over_a.tolist(),
            "over_b": over_b.tolist(),
            "nodes": [values.tolist() for values in self.by_node],
            "pair": record(self.why, regions=False),
        }


def why_different(
    model: Model, a: Picture, b: Picture, *, names: GroupNames | None = None
) -> Difference:
    """Say what sets A and B apart: what their score lacks of the score of a picture with itself.

    Args:
        model: What scores them.
        a: A path, a PIL image, or a uint8 array (height, width, 3).
        b: Another.
        names: Of the model's groups.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: It is not a model of this library, its head has no tokens to explain with, or
            names do not fit.
    """
    require_model(model)
    explained = explain_pairs(model, [(a, b), (a, a), (b, b)])
    why, with_a, with_b = (called(each, names) for each in explained)
    return Difference(why, (with_a, with_b))
