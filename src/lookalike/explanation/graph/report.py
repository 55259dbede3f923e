"""What a graph says of a pair or of a triplet: figures, and a page to walk through it."""

import dataclasses
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.data import Picture
from lookalike.errors import LookalikeError, UsageError
from lookalike.explanation.account.explanation import Explanation, Pictured
from lookalike.explanation.account.nodes import Floats, Nodes
from lookalike.explanation.account.pair import explain_pairs
from lookalike.files import replace, replace_text
from lookalike.model import Model

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True, eq=False)
class GraphReport:
    """The graph of a pair, or of two pairs that share their first picture.

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

    def nodes_figure(self) -> "Figure":
        """Draw the most reliable nodes of each level by similarity (the paper's figure 6)."""
        from lookalike.explanation.graph.node_figure import draw

        return draw(self)

    def tree_figure(self) -> "Figure":
        """Draw the graph from the top down (the paper's figure 7)."""
        from lookalike.explanation.graph.tree_figure import draw

        return draw(self)

    def spread_figure(self) -> "Figure":
        """Draw how the nodes' contributions to the distance are distributed."""
        from lookalike.explanation.graph.spread_figure import draw

        return draw(self)

    def to_html(self) -> str:
        """Return a page that stands alone, on which a node opens into what feeds it."""
        from lookalike.explanation.graph.page import to_html

        return to_html(self)

    def save(self, folder: str | Path) -> list[Path]:
        """Write page and figures into a folder; nothing else in it is touched.

        Args:
            folder: Made if it is not there.

        Returns:
            The files, the page first: graph.html, nodes.png, tree.png, spread.png, and the maps
            of each pair, maps-b.png and maps-c.png.

        Raises:
            LookalikeError: A file cannot be written.
        """
        from lookalike.explanation.account.figure import draw
        from lookalike.rendering.figures import write_figure

        folder = Path(folder)
        figures = {
            "nodes": self.nodes_figure(),
            "tree": self.tree_figure(),
            "spread": self.spread_figure(),
            **{
                f"maps-{name}": draw(why, letters=f"A{name.upper()}")
                for name, why in zip("bc", self.pairs, strict=False)
            },
        }
        try:
            folder.mkdir(parents=True, exist_ok=True)
            replace_text(folder / "graph.html", self.to_html())
            for name, figure in figures.items():
                replace(folder / f"{name}.png", partial(write_figure, figure))
        except OSError as error:
            raise LookalikeError(f"{folder}: cannot be written: {error.strerror}") from None
        return [folder / "graph.html", *(folder / f"{name}.png" for name in figures)]


def explain_graph(model: Model, a: Picture, b: Picture, c: Picture | None = None) -> GraphReport:
    """Say what each node of a graph makes of two pictures, or of one against two others.

    Args:
        model: One whose similarity is a graph.
        a: A path, a PIL image, or a uint8 array (height, width, 3).
        b: Another; in a triplet the one that should be alike.
        c: In a triplet the one that should not be.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: The model has no graph.
    """
    kind = model.config.similarity.kind
    if kind != "graph":
        raise UsageError(
            f"this model's similarity is {kind}, which has no nodes to show: explain it without "
            f"the graph, or take a model trained with similarity.kind = graph"
        )
    if c is None:
        return GraphReport(tuple(explain_pairs(model, [(a, b)])))
    first, second = explain_pairs(model, [(a, b), (a, c)])
    if not isinstance(c, str | Path):
        third = dataclasses.replace(second.pictures[1], name="picture C")
        second = dataclasses.replace(second, pictures=(second.pictures[0], third))
    return GraphReport((first, second))
