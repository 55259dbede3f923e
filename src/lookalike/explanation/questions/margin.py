"""Why is B above C for query A: the difference of two scores, taken apart as they are."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lookalike.data import Picture
from lookalike.explanation.account.explanation import Array, Contribution, Explanation
from lookalike.explanation.account.pair import explain_pairs
from lookalike.explanation.account.record import group_records, record
from lookalike.explanation.graph.node_parts import NodePart, strongest_nodes
from lookalike.explanation.measures.naming import GroupNames
from lookalike.explanation.questions.pictures import called, name_side, require_model
from lookalike.explanation.questions.story import Answered, Story
from lookalike.model import Model
from lookalike.rendering.sheets import Row


@dataclass(frozen=True, slots=True, eq=False)
class Margin(Answered):
    """The score of A with B less that of A with C, by group, by node and by region of A.

    Where a score is a product, the map over A sums to the margin, and so do the maps over B and C
    together. Where it is a difference, as a graph's, the maps over A, B and C together do.

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
        return tuple(
            replace(one, value=one.value - other.value)
            for one, other in zip(self.first.groups, self.second.groups, strict=True)
        )

    @property
    def over_a(self) -> Array:
        """Groups × height × width over A: above zero where a cell speaks for B, not for C."""
        difference: Array = self.first.maps[0] - self.second.maps[0]
        return difference

    @property
    def over_b(self) -> Array:
        """Likewise over B, from the score of A with B."""
        return self.first.maps[1]

    @property
    def over_c(self) -> Array:
        """Likewise over C: below zero where C is like A, as that speaks against B being above."""
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
        names = (level.name for level in self.first.nodes)
        levels = list(zip(names, self.by_node, strict=True))
        return strongest_nodes(levels, count=count, names=self.first.node_names)

    def story(self) -> Story:
        """Return the answer in words."""
        from lookalike.explanation.questions.margin_story import story

        return story(self)

    def rows(self) -> tuple[Row, ...]:
        """Return A, B and C, and where each speaks for B or for C."""
        from lookalike.explanation.questions.margin_story import rows

        return rows(self)

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
            "pairs": [record(why, regions=False) for why in (self.first, self.second)],
        }


def why_above(
    model: Model, a: Picture, b: Picture, c: Picture, *, names: GroupNames | None = None
) -> Margin:
    """Say what puts B above C for query A, or C above B where that is so.

    Args:
        model: What scores them.
        a: The query: a path, a PIL image, or a uint8 array (height, width, 3).
        b: A result.
        c: Another one.
        names: Of the model's groups.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: It is not a model of this library, its head has no tokens to explain with, or
            names do not fit.
    """
    require_model(model)
    first, second = (called(why, names) for why in explain_pairs(model, [(a, b), (a, c)]))
    if not isinstance(c, str | Path):
        second = name_side(second, 1, "picture C")
    return Margin(first, second)
