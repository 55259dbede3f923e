"""How nodes of a graph are drawn and written in figures."""

from collections.abc import Sequence

from PIL import Image

from lookalike.explanation.account.nodes import Array, Nodes
from lookalike.explanation.graph.graph_report import GraphReport
from lookalike.rendering.numbers import number
from lookalike.rendering.overlays import all_of, limit_of, overlay
from lookalike.rendering.sheets import ColourScale

LETTERS = "ABC"
RESPONSE = ColourScale("lowers the node's number", "raises it")


def thumbnails(report: GraphReport, level: int, node: int, *, side: int) -> list[Image.Image]:
    """Draw a node's responses over all pictures, on one scale."""
    responses = [values.astype(float) for values in report.responses(level, node)]
    limit = limit_of(*responses)
    squares = [shown.seen(side) for shown in report.pictures]
    return [
        overlay(square, values, all_of(square), limit=limit, side=side)
        for square, values in zip(squares, responses, strict=True)
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


def node_numbers(pairs: Sequence[Nodes], node: int, *, sensitivity: bool = False) -> str:
    """Write a node's δ and p, and its λ if asked for, a line each: for each pair."""

    def line(symbol: str, values: Sequence[Array]) -> str:
        return f"{symbol} {' | '.join(short(float(each[node])) for each in values)}"

    reliability = " | ".join(f"{nodes.reliability[node]:.3f}" for nodes in pairs)
    lines = [line("δ", [nodes.difference for nodes in pairs]), f"p {reliability}"]
    if sensitivity:
        lines.append(line("λ", [nodes.sensitivity for nodes in pairs]))
    return "\n".join(lines)


def legend(report: GraphReport) -> str:
    """Write which picture is which, and the score of every pair."""
    pictures = zip(LETTERS, report.pictures, strict=False)
    scores = zip(LETTERS[1:], report.pairs, strict=False)
    return "\n".join(
        [
            "   ".join(f"{letter}: {shown.label}" for letter, shown in pictures),
            ", ".join(f"similarity of A with {b} {number(why.score, 4)}" for b, why in scores),
        ]
    )


def kinds(report: GraphReport) -> tuple[str, str]:
    """Name the two lists that `similar_and_dissimilar` returns."""
    if len(report.pairs) == 1:
        return "most similar", "most dissimilar"
    return "most similar in A and B", "most dissimilar in A and C"


def how_to_read(report: GraphReport) -> str:
    """Say how to read a node's map, and its numbers where there are two pairs."""
    maps = (
        "Red raises the node's number in that picture, blue lowers it; the strongest colour is the "
        "node's strongest response in any of the pictures."
    )
    return maps if len(report.pairs) == 1 else f"{maps} Numbers: A with B | A with C."
