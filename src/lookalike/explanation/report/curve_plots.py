"""Curves and areas as places on a drawing; the page's template draws them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookalike.explanation.account.explanation import Array
from lookalike.explanation.interventions.curves import KINDS, Kind
from lookalike.explanation.measures import Curves, Faithfulness, Interval
from lookalike.explanation.report.explanations_report import ExplanationsReport
from lookalike.explanation.report.wording import FILLS, estimate, label_of
from lookalike.explanation.report.worst_cases import WorstCase
from lookalike.statistics.bootstrap import bootstrap_statistic

COLOURS = 6
"""How many the page knows."""
BAND_DRAWS = 400
"""Of the bootstrap, for the band around a curve."""

# Of the drawings, in the page's pixels.
WIDTH, HEIGHT = 500.0, 300.0
CASE_WIDTH, CASE_HEIGHT = 330.0, 230.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 12.0, 14.0, 42.0
PANEL, GAP, LINE, HEAD, FOOT = 225.0, 34.0, 24.0, 34.0, 26.0
LETTER = 7.2
QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class Scale:
    """Where values lie, pixels: `low` at `start`, `high` at `end`, with the ticks to write."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """Return where a value lies."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


@dataclass(frozen=True, slots=True)
class Line:
    """One curve.

    Args:
        name: What is followed.
        words: For who points at it.
        colour: Number of its colour; None is that of what is only for comparison.
        dashed: It is a control.
        path: SVG path of the curve.
        band: SVG path around its interval; empty where there is none.
    """

    name: str
    words: str
    colour: int | None
    dashed: bool
    path: str
    band: str = ""


@dataclass(frozen=True, slots=True)
class CurvePlot:
    """Curves of a score while a picture is hidden or shown."""

    title: str
    width: float
    height: float
    x: Scale
    y: Scale
    x_label: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Area:
    """An area and its interval on one line of a panel, pixels."""

    words: str
    colour: int
    dashed: bool
    y: float
    x: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AreaPlot:
    """Areas of all maps, a panel for each kind and fill side by side; a line is a map."""

    width: float
    height: float
    left: float
    names: tuple[tuple[str, float], ...]
    panels: tuple[tuple[str, str, Scale, tuple[Area, ...]], ...]


def curve_plots(report: ExplanationsReport) -> tuple[CurvePlot, ...]:
    """Lay out the mean curves of all maps with their intervals, and the random orders'."""
    return tuple(_curve_plot(report, *panel) for panel in _panels(report))


def area_plot(report: ExplanationsReport) -> AreaPlot | None:
    """Lay out all areas with their intervals; None where none was measured."""
    panels = _panels(report)
    if not panels:
        return None
    names = list(dict.fromkeys(label_of(each) for _, _, rows in panels for each in rows))
    lines = {name: HEAD + LINE * (place + 0.5) for place, name in enumerate(names)}
    height = HEAD + LINE * len(names) + FOOT
    left = 4 + LETTER * max(map(len, names))
    intervals = [each.curves(kind).area for _, kind, rows in panels for each in rows]
    low = min(0.0, *(interval.low for interval in intervals))
    high = max(1.0, *(interval.high for interval in intervals))
    laid_out = []
    for place, (title, kind, rows) in enumerate(panels):
        start = left + GAP + place * (PANEL + GAP)
        x = Scale(low, high, start, start + PANEL, QUARTERS)
        areas = tuple(_area(report, each, kind, x, lines[label_of(each)]) for each in rows)
        better = "← better" if kind == "deletion" else "better →"
        laid_out.append((title, better, x, areas))
    width = left + len(panels) * (PANEL + GAP) + GAP / 2
    return AreaPlot(width, height, left, tuple(lines.items()), tuple(laid_out))


def case_plot(case: WorstCase) -> CurvePlot:
    """Lay out the score of one pair, in its own units, in the map's order and in random order."""
    values = np.concatenate([case.scores, case.random])
    low, high = float(values.min()), float(values.max())
    pad = 0.06 * (high - low) or 1.0
    ticks = (low, (low + high) / 2, high)
    x, y = _scales(low - pad, high + pad, ticks, width=CASE_WIDTH, height=CASE_HEIGHT)
    lines = tuple(
        Line(name, name, colour, dashed, _path(x, y, case.shares, curve))
        for name, colour, dashed, curve in (
            ("random order", None, True, case.random),
            ("order of the map", 0, False, case.scores),
        )
    )
    return CurvePlot("Score", CASE_WIDTH, CASE_HEIGHT, x, y, "of A hidden", lines)


def colour_of(report: ExplanationsReport, method: str) -> int:
    """Return the number of a method's colour."""
    return report.methods.index(method) % COLOURS


def _panels(report: ExplanationsReport) -> list[tuple[str, Kind, list[Faithfulness]]]:
    """List what is drawn side by side: deletion under each fill, then insertion."""
    every = [
        (
            f"{kind.capitalize()}, {shown}",
            kind,
            [each for each in report.faithfulness if each.masking.fill == fill],
        )
        for kind in KINDS
        for fill, shown in FILLS.items()
    ]
    return [panel for panel in every if panel[2]]


def _curve_plot(
    report: ExplanationsReport, title: str, kind: Kind, rows: Sequence[Faithfulness]
) -> CurvePlot:
    bands = [band(each.curves(kind)) for each in rows]
    low = min(0.0, *(float(lower.min()) for lower, _ in bands))
    high = max(1.0, *(float(upper.max()) for _, upper in bands))
    x, y = _scales(low, high, QUARTERS, width=WIDTH, height=HEIGHT)
    first = rows[0].curves(kind)
    random = _path(x, y, first.shares, first.curve(of="random"))
    lines = [Line("random order", "random order, 0.5", None, True, random)]
    for each, (lower, upper) in zip(rows, bands, strict=True):
        curves = each.curves(kind)
        edge = _path(x, y, curves.shares[::-1], lower[::-1]).replace("M", "L", 1)
        lines.append(
            Line(
                label_of(each),
                _words(each, kind),
                colour_of(report, each.method),
                each.swapped,
                _path(x, y, curves.shares, curves.curve()),
                f"{_path(x, y, curves.shares, upper)} {edge} Z",
            )
        )
    word = "hidden" if kind == "deletion" else "shown"
    return CurvePlot(title, WIDTH, HEIGHT, x, y, f"of picture A {word}", tuple(lines))


def band(curves: Curves) -> tuple[Array, Array]:
    """Return the ends of the mean curve's 95 % interval at each step."""
    drops = curves.whole - curves.blank

    def interval(above: Array) -> Interval:
        return bootstrap_statistic(
            lambda weights: (weights @ above) / (weights @ drops),
            curves.clusters,
            pairs=len(drops),
            draws=BAND_DRAWS,
        )

    steps = [interval(above) for above in (curves.scores - curves.blank[:, None]).T]
    return np.array([step.low for step in steps]), np.array([step.high for step in steps])


def _scales(
    low: float, high: float, ticks: tuple[float, ...], *, width: float, height: float
) -> tuple[Scale, Scale]:
    x = Scale(0.0, 1.0, LEFT, width - RIGHT, QUARTERS)
    return x, Scale(low, high, height - BOTTOM, TOP, ticks)


def _path(x: Scale, y: Scale, shares: Array, values: Array) -> str:
    places = zip(shares.tolist(), values.tolist(), strict=True)
    return "M" + " L".join(f"{x.at(share):.1f} {y.at(value):.1f}" for share, value in places)


def _words(each: Faithfulness, kind: Kind) -> str:
    return f"{label_of(each)}: {estimate(each.curves(kind).area)}"


def _area(report: ExplanationsReport, each: Faithfulness, kind: Kind, x: Scale, y: float) -> Area:
    area = each.curves(kind).area
    low, mean, high = (x.at(value) for value in (area.low, area.mean, area.high))
    colour = colour_of(report, each.method)
    return Area(_words(each, kind), colour, each.swapped, y, mean, low, high)
