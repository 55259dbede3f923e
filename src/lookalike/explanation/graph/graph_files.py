"""What a graph is saved as: a page, and figures of its nodes and maps."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from lookalike.explanation.account.explanation_sheet import draw
from lookalike.explanation.graph.graph_page import graph_page
from lookalike.explanation.graph.graph_report import GraphReport
from lookalike.explanation.graph.node_sheet import node_sheet
from lookalike.explanation.graph.spread_figure import draw_spread
from lookalike.explanation.graph.tree_figure import draw_tree
from lookalike.rendering.figures import write_figure
from lookalike.rendering.forms import files_of
from lookalike.rendering.sheet_figure import draw_sheet


@files_of.register(GraphReport)
def graph_files(report: GraphReport) -> dict[str, Callable[[Path], object]]:
    """Return the files of a graph by name, the page first."""
    figures = {
        "nodes": draw_sheet(node_sheet(report)),
        "tree": draw_tree(report),
        "spread": draw_spread(report),
        **{
            f"maps-{name}": draw(why, letters=f"A{name.upper()}")
            for name, why in zip("bc", report.pairs, strict=False)
        },
    }
    page = graph_page(report)
    return {
        "graph.html": lambda path: path.write_text(page, encoding="utf-8"),
        **{f"{name}.png": partial(write_figure, figure) for name, figure in figures.items()},
    }
