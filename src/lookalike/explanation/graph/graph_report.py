"""The graph of a pair or of a triplet of pictures, and how it is made."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from lookalike.data import Picture
from lookalike.errors import UsageError
from lookalike.explanation.account.explanation import Explanation
from lookalike.explanation.account.group_names import GroupNames
from lookalike.explanation.account.nodes import Floats, Nodes
from lookalike.explanation.account.pair import explain_pairs
from lookalike.explanation.account.pictured import Pictured
from lookalike.model import Model
from lookalike.rendering.forms import ShownInFolder


@dataclass(frozen=True, slots=True, eq=False)
class GraphReport(ShownInFolder):
    """The graph of a pair, or of two pairs that share their first picture.

    It is saved as graph.html, on which a node opens into the nodes that feed it, nodes.png and
    tree.png (the paper's figures 6 and 7), spread.png, and the maps of each pair, maps-b.png and
    maps-c.png.

    Args:
        pairs: A with B, and where there is a third picture A with C.
    """

    pairs: tuple[Explanation, ...]

    @property
    def pictures(self) -> tuple[Pictured, ...]:
        """A and B, and C where there is one."""
        return (self.pairs[0].pictures[0], *(why.pictures[1] for why in self.pairs))

    @property
    def levels(self) -> tuple[tuple[Nodes, ...], ...]:
        """The nodes of each level from low to high: for each level, those of every pair."""
        return tuple(zip(*(why.nodes for why in self.pairs), strict=True))

    def responses(self, level: int, node: int) -> tuple[Floats, ...]:
        """Return where a node's number comes from in each picture; a map sums to the number."""
        pairs = self.levels[level]
        return (pairs[0].responses[0][node], *(nodes.responses[1][node] for nodes in pairs))


def explain_graph(
    model: Model,
    a: Picture,
    b: Picture,
    c: Picture | None = None,
    *,
    names: GroupNames | None = None,
) -> GraphReport:
    """Say what each node of a graph makes of two pictures, or of one against two others.

    Args:
        model: One whose similarity is a graph.
        a: A path, a PIL image, or a uint8 array (height, width, 3).
        b: Another; in a triplet the one that should be alike.
        c: In a triplet the one that should not be.
        names: What the nodes of the highest level are called.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: The model has no graph, or the names do not fit it.
    """
    pairs = [(a, b)] if c is None else [(a, b), (a, c)]
    explained = explain_pairs(model, pairs, names=names)
    if not explained[0].nodes:
        raise UsageError(
            f"this model's similarity is {model.config.similarity.kind}, which has no nodes to "
            "show: explain it without the graph, or take a model trained with "
            "similarity.kind = graph"
        )
    if c is None or isinstance(c, str | Path):
        return GraphReport(tuple(explained))
    first, second = explained
    third = dataclasses.replace(second.pictures[1], name="picture C")
    pictures = (second.pictures[0], third)
    return GraphReport((first, dataclasses.replace(second, pictures=pictures)))
