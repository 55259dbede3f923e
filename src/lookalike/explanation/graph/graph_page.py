"""A graph as a page: a node opens into the nodes that feed it."""

import base64
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from lookalike.explanation.account.nodes import Floats
from lookalike.explanation.graph.graph_report import GraphReport
from lookalike.explanation.graph.node_choice import MOST_RELIABLE, reach, similar_and_dissimilar
from lookalike.explanation.graph.node_words import LETTERS, kinds
from lookalike.rendering.forms import page_of
from lookalike.rendering.overlays import data_uri
from lookalike.rendering.pages import templates

STARTS = 6
"""Most similar and most dissimilar nodes of the highest level, of either so many."""
NEIGHBOURS = 6
"""Lower neighbours that a node opens into."""
SIDE = 192
"""Of a picture on the page, pixels; every node draws over the same ones."""
CELLS = 16
"""Of a node's map, along a side at most; finer maps are averaged, as thumbnails are small."""


@page_of.register(GraphReport)
def graph_page(report: GraphReport) -> str:
    """Return a page with the nodes met from those at the top; it refers to nothing outside it.

    A node has 2 or 3 maps of at most 16 × 16 bytes, so that even all nodes of three levels of 512
    make a page below 3 MB.
    """
    page = templates(Path(__file__).parent / "templates").get_template("graph.html")
    return page.render(report=report, letters=LETTERS, record=nodes_record(report))


def nodes_record(report: GraphReport) -> dict[str, Any]:
    """Return what the page's script reads: pictures, and nodes by level and number."""
    alike, apart = similar_and_dissimilar(report.levels[-1], STARTS, among=MOST_RELIABLE)
    met = reach(report.pairs[0].nodes, [*alike, *apart], breadth=NEIGHBOURS)
    return {
        "pictures": [data_uri(shown.seen(SIDE)) for shown in report.pictures],
        "start": [
            {"name": name, "nodes": nodes}
            for name, nodes in zip(kinds(report), (alike, apart), strict=True)
        ],
        "levels": [_level(report, level, nodes) for level, nodes in enumerate(met)],
    }


def _level(report: GraphReport, level: int, chosen: list[int]) -> dict[str, Any]:
    pairs = report.levels[level]
    responses = [pairs[0].responses[0], *(nodes.responses[1] for nodes in pairs)]
    maps = [_pooled(values[chosen]) for values in responses]
    limits = np.max([np.abs(values).max(axis=(1, 2)) for values in maps], axis=0)
    return {
        "size": len(pairs[0]),
        "grids": [values.shape[1:] for values in maps],
        "nodes": {
            str(node): {
                "difference": [_rounded(nodes.difference[node]) for nodes in pairs],
                "reliability": [_rounded(nodes.reliability[node]) for nodes in pairs],
                "weight": [_rounded(nodes.weight[node]) for nodes in pairs],
                "rectified": [_rounded(nodes.rectified[node]) for nodes in pairs],
                "numbers": [_rounded(float(values[node].sum())) for values in responses],
                "maps": [_bytes(values[place], float(limits[place])) for values in maps],
                "near": [
                    [below, _rounded(weight)]
                    for below, weight in pairs[0].neighbours(node, NEIGHBOURS)
                ],
            }
            for place, node in enumerate(chosen)
        },
    }


def _rounded(value: float) -> float:
    """Return a number with four digits that count: a page shows fewer."""
    return float(f"{value:.3e}")


def _pooled(values: Floats) -> Floats:
    _, height, width = values.shape
    size = (min(height, CELLS), min(width, CELLS))
    pooled: Floats = functional.adaptive_avg_pool2d(torch.from_numpy(values), size).numpy()
    return pooled


def _bytes(values: Floats, limit: float) -> str:
    """Return a map as signed bytes, 127 being the limit, in base64."""
    steps = np.rint(values * (127 / (limit or 1.0))).astype(np.int8)
    return base64.b64encode(steps.tobytes()).decode()
