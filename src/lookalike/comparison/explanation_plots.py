"""How good the maps of each variant are, method beside method, as places on a drawing."""

from dataclasses import dataclass
from itertools import pairwise

from lookalike.comparison.axes import axis
from lookalike.comparison.plots import (
    BOTTOM,
    GAP,
    LETTER,
    TOP,
    WIDTH,
    DotPlot,
    Panel,
    Point,
    extent,
    reach,
    words,
)
from lookalike.comparison.summary import Summary, Variant
from lookalike.comparison.themes import COMPARED, METHODS, TOLD, Kind

CHANCE = {"deletion": (0.5,), "insertion": (0.5,)}
"""Area of a random order."""
ROW, STEP = 40.0, 11.0


@dataclass(frozen=True, slots=True)
class MethodPlot:
    """The maps of several methods.

    Args:
        dots: A line is a variant; the methods lie above each other on it.
        methods: What each colour is: its number and a name.
    """

    dots: DotPlot
    methods: tuple[tuple[int, str], ...]


def method_plot(summary: Summary) -> MethodPlot | None:
    """Lay out areas and hit rates of each method; None where explanations were not measured."""
    kinds = [k for k in TOLD if any(_methods(variant, k.name) for variant in summary.finished)]
    if not kinds:
        return None
    left = 12 + LETTER * max(len(variant.name) for variant in summary.finished)
    each = (WIDTH - left) / len(kinds) - GAP
    ends = [left + GAP + place * (each + GAP) for place in range(len(kinds) + 1)]
    panels = tuple(
        _panel(summary, kind, start=start, end=end - GAP)
        for kind, (start, end) in zip(kinds, pairwise(ends), strict=True)
    )
    lines = tuple((v.name, TOP + ROW * (n + 0.5)) for n, v in enumerate(summary.finished))
    height = TOP + ROW * len(lines) + BOTTOM
    used = {point.colour for panel in panels for point in panel.points}
    return MethodPlot(
        DotPlot(ends[-1], height, left, lines, (), panels),
        tuple((n, METHODS[method]) for n, method in enumerate(COMPARED) if n in used),
    )


def _methods(variant: Variant, kind: str) -> list[str]:
    """Return the methods whose maps were measured."""
    return [method for method in COMPARED if variant.over_seeds(f"{kind}_{method}")]


def _panel(summary: Summary, kind: Kind, *, start: float, end: float) -> Panel:
    values = [v for method in COMPARED for v in extent(summary, f"{kind.name}_{method}")]
    chance = CHANCE.get(kind.name, ())
    x = axis([*values, *chance], start=start, end=end)
    points = []
    for line, variant in enumerate(summary.finished):
        methods = _methods(variant, kind.name)
        for place, method in enumerate(methods):
            measured = variant.over_seeds(f"{kind.name}_{method}")
            assert measured is not None
            y = TOP + ROW * (line + 0.5) + STEP * (place - (len(methods) - 1) / 2)
            low, high = (x.at(value) for value in reach(measured))
            said = words(variant, f"{kind.label}, {METHODS[method]}", measured)
            dots = tuple(x.at(value) for value in measured.values)
            points.append(
                Point(variant.name, said, x.at(measured.mean), y, low, high, dots, _colour(method))
            )
    return Panel(f"{kind.label}, {kind.direction}", x, tuple(points), tuple(map(x.at, chance)))


def _colour(method: str) -> int:
    return COMPARED.index(method)
