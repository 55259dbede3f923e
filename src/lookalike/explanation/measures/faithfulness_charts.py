"""Deletion and insertion as charts: areas with intervals, mean curves with bands."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from lookalike.explanation.interventions.curves import KINDS, Curves, Kind
from lookalike.explanation.interventions.masking import FILLS, Masking
from lookalike.explanation.measures.interval_text import estimate
from lookalike.explanation.measures.measure import Chart
from lookalike.rendering import charts
from lookalike.rendering.charts import to_svg
from lookalike.statistics.bootstrap import Array, Interval, bootstrap_statistic

BAND_DRAWS = 400
"""Bootstrap draws for the band around a curve."""


@runtime_checkable
class Measured(Protocol):
    """What charts read of a result of deletion and insertion."""

    @property
    def method(self) -> str:
        """The name of the method."""
        ...

    @property
    def label(self) -> str:
        """What the map is called."""
        ...

    @property
    def swapped(self) -> bool:
        """Whether it is a control with another pair's map."""
        ...

    @property
    def masking(self) -> Masking:
        """How pictures were masked."""
        ...

    def curves(self, kind: Kind) -> Curves:
        """Return the curves of a kind."""
        ...


def area_chart(results: Sequence[Measured]) -> Chart:
    """Draw all areas with their intervals: a row for each map, a plot for each kind and fill."""
    rows = list(dict.fromkeys(each.label for each in results))
    intervals = [each.curves(kind).area for each in results for kind in KINDS]
    low = min(0.0, *(interval.low for interval in intervals))
    high = max(1.0, *(interval.high for interval in intervals))
    plots = [
        charts.DotPlot(
            title,
            tuple(
                charts.Dot(
                    rows.index(each.label),
                    area.mean,
                    area.low,
                    area.high,
                    colour=_colour(results, each),
                    faint=each.swapped,
                    words=f"{each.label}: {estimate(area)}",
                )
                for each in shown
                for area in (each.curves(kind).area,)
            ),
            marks=(0.5,),
            hint="← better" if kind == "deletion" else "better →",
            limits=(low - 0.04 * (high - low), high + 0.04 * (high - low)),
        )
        for title, kind, shown in _plots(results)
    ]
    label = "Areas with their intervals; the same numbers stand in the tables"
    return Chart(
        to_svg(charts.dots(rows, plots, label=label)),
        note="A dot is the area, the line through it its 95 % interval; the dashed line is a "
        "random order.",
    )


def curve_chart(results: Sequence[Measured]) -> Chart:
    """Draw the mean curves of all maps with their intervals, and that of random orders."""
    plots = [
        charts.CurvePlot(
            (
                _curve("random order", shown[0].curves(kind), of_map=False),
                *(
                    _curve(
                        each.label,
                        each.curves(kind),
                        colour=_colour(results, each),
                        dashed=each.swapped,
                    )
                    for each in shown
                ),
            ),
            title=title,
            x_label=f"share of picture A {'hidden' if kind == 'deletion' else 'shown'}",
        )
        for title, kind, shown in _plots(results)
    ]
    return Chart(
        to_svg(charts.curves(plots, label="Scores while picture A is hidden or shown")),
        note="Mean over pairs, 1 for the score of the whole picture and 0 for that of the blank "
        "one; the bands are 95 % intervals.",
    )


def band(curves: Curves) -> list[Interval]:
    """Return the mean curve's value and 95 % interval at each step."""
    drops = curves.whole - curves.blank

    def interval(above: Array) -> Interval:
        return bootstrap_statistic(
            lambda weights: (weights @ above) / (weights @ drops),
            curves.clusters,
            pairs=len(drops),
            draws=BAND_DRAWS,
        )

    return [interval(above) for above in (curves.scores - curves.blank[:, None]).T]


def _plots(results: Sequence[Measured]) -> list[tuple[str, Kind, list[Measured]]]:
    """List the plots: deletion under each fill, then insertion."""
    every: list[tuple[str, Kind, list[Measured]]] = [
        (
            f"{kind.capitalize()}, {shown}",
            kind,
            [each for each in results if each.masking.fill == fill],
        )
        for kind in KINDS
        for fill, shown in FILLS.items()
    ]
    return [plot for plot in every if plot[2]]


def _colour(results: Sequence[Measured], each: Measured) -> int:
    """Return the number of a method's colour: methods count in the order of the results."""
    return list(dict.fromkeys(one.method for one in results)).index(each.method)


def _curve(
    name: str,
    curves: Curves,
    *,
    of_map: bool = True,
    colour: int | None = None,
    dashed: bool = True,
) -> charts.Curve:
    xs = tuple(curves.shares.tolist())
    if not of_map:
        ys = tuple(curves.curve(of="random").tolist())
        return charts.Curve(name, xs, ys, colour=colour, dashed=dashed, words=f"{name}, 0.5")
    steps = band(curves)
    return charts.Curve(
        name,
        xs,
        tuple(step.mean for step in steps),
        tuple(step.low for step in steps),
        tuple(step.high for step in steps),
        colour=colour,
        dashed=dashed,
        words=f"{name}: {estimate(curves.area)}",
    )
