"""A node of a graph as something to look at: its responses over the pictures, and its numbers."""

from collections.abc import Sequence

from PIL import Image

from lookalike.explanation.account.explanation import Pictured
from lookalike.explanation.account.nodes import Nodes
from lookalike.explanation.graph.report import GraphReport
from lookalike.preprocessing import Geometry
from lookalike.rendering.overlays import limit_of, overlay

LETTERS = "ABC"
PAIR_COLOURS = ("#00796b", "#9c4f00")
"""Of A with B, and of A with C."""


def seen(shown: Pictured, side: int) -> Image.Image:
    """Return what the network saw of a picture, as a square; white where it was padded."""
    scale = shown.picture.width / shown.geometry.width
    left, top, right, bottom = (round(edge * scale) for edge in shown.geometry.box)
    square = Image.new("RGB", (max(1, right - left), max(1, bottom - top)), "white")
    square.paste(shown.picture, (-left, -top))
    return square.resize((side, side), Image.Resampling.LANCZOS)


def thumbnails(report: GraphReport, level: int, node: int, *, side: int) -> list[Image.Image]:
    """Draw a node's responses over all pictures, on one scale."""
    responses = [values.astype(float) for values in report.responses(level, node)]
    whole = Geometry(side, side, box=(0.0, 0.0, float(side), float(side)))
    limit = limit_of(*responses)
    return [
        overlay(seen(shown, side), values, whole, limit=limit, side=side)
        for shown, values in zip(report.pictures, responses, strict=True)
    ]


def short(value: float) -> str:
    """Write a number with two digits that count.

    >>> short(0.0123), short(0.5), short(3e-7), short(0.0)
    ('0.012', '0.50', '3.0e−7', '0')
    """
    if value == 0:
        return "0"
    if abs(value) >= 0.00095:
        return f"{value:#.2g}".replace("-", "−").rstrip(".")
    digits, power = f"{value:.1e}".split("e")
    return f"{digits}e{int(power)}".replace("-", "−")


def differences(pairs: Sequence[Nodes], node: int) -> str:
    """Write a node's δ for each pair."""
    return " | ".join(short(float(nodes.difference[node])) for nodes in pairs)


def reliabilities(pairs: Sequence[Nodes], node: int) -> str:
    """Write a node's p for each pair."""
    return " | ".join(f"{nodes.reliability[node]:.3f}" for nodes in pairs)


def sensitivities(pairs: Sequence[Nodes], node: int) -> str:
    """Write a node's λ for each pair."""
    return " | ".join(short(float(nodes.sensitivity[node])) for nodes in pairs)


def headline(report: GraphReport) -> str:
    """Write the score of every pair."""
    return ", ".join(
        f"similarity of A with {other} {why.score:.4f}".replace("-", "−")
        for other, why in zip(LETTERS[1:], report.pairs, strict=False)
    )


def legend(report: GraphReport) -> str:
    """Write which picture is which."""
    return "   ".join(
        f"{letter}: {shown.label}" for letter, shown in zip(LETTERS, report.pictures, strict=False)
    )


def kinds(report: GraphReport) -> tuple[str, str]:
    """Name the two lists that `choose` returns."""
    if len(report.pairs) == 1:
        return "most similar", "most dissimilar"
    return "most similar in A and B", "most dissimilar in A and C"


def response(report: GraphReport) -> str:
    """Say how to read a node's map, and its numbers where there are two pairs."""
    maps = (
        "Red raises the node's number in that picture, blue lowers it; the strongest colour is the "
        "node's strongest response in any of the pictures."
    )
    return maps if len(report.pairs) == 1 else f"{maps} Numbers: A with B | A with C."
