"""The plots of a comparison as places on a drawing; the page's template draws them."""

from collections.abc import Sequence
from dataclasses import dataclass

from lookalike.comparison.axes import Axis, apart, axis
from lookalike.comparison.columns import COSTS, MEASURES, Column, columns
from lookalike.comparison.summary import Summary, Variant, spread
from lookalike.evaluation import OverSeeds
from lookalike.rendering.numbers import significant

RANKING = "recall_at_1"
DOTTED = (RANKING, "map_at_r", "nmi")
"""Measures with a dot for each seed, where there are such; two of other kinds may follow."""
AGAINST = COSTS[1:3]
"""Costs that R@1 is drawn against: operations and time."""
COLOURS = 6
"""How many the page knows."""

# Of the drawings, in the page's pixels.
LETTER = 7.2
LEAST_PANEL = 150.0
LINE, SECTION = 24.0, 30.0
TOP, BOTTOM = 34.0, 30.0
WIDTH, GAP = 1180.0, 44.0
COST_WIDTH, COST_HEIGHT = 270.0, 250.0
LEFT, LABEL_GAP = 52.0, 16.0


@dataclass(frozen=True, slots=True)
class Point:
    """One variant in one plot.

    Args:
        name: Of the variant.
        values: In words, for who points at it.
        x: Of its mean, pixels.
        y: Of its mean, pixels.
        low: The mean less the spread, along the measure's axis; the mean where there is none.
        high: The mean and the spread.
        dots: Of its seeds, along the measure's axis.
        colour: Number of its colour.
        label_y: Where its name stands, where the plot names each point.
    """

    name: str
    values: str
    x: float
    y: float
    low: float
    high: float
    dots: tuple[float, ...]
    colour: int
    label_y: float = 0.0


@dataclass(frozen=True, slots=True)
class Panel:
    """One measure of all variants, or one measure against one cost.

    Args:
        title: What it is.
        x: Of the measure, or of the cost.
        points: The variants.
        marks: Where dashed lines stand, pixels: what chance gives.
    """

    title: str
    x: Axis
    points: tuple[Point, ...]
    marks: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class DotPlot:
    """Several measures side by side; a line is a variant.

    Args:
        width: Pixels.
        height: Pixels.
        left: Where the names end.
        lines: Names and where they stand.
        sections: Headings between the lines and where they stand.
        panels: A measure each.
    """

    width: float
    height: float
    left: float
    lines: tuple[tuple[str, float], ...]
    sections: tuple[tuple[str, float], ...]
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class CostPlot:
    """R@1 against a cost, every point named on the right."""

    width: float
    height: float
    y: Axis
    panel: Panel


def dot_plot(summary: Summary) -> DotPlot | None:
    """Lay out a dot for each seed and a mark for each mean; None where there is nothing to show.

    Where heads and losses form a grid, the heads stand in a section for each loss.
    """
    measures = [c for c in columns(summary) if not c.cost and not c.descriptive]
    shown = [column for key in DOTTED for column in measures if column.key == key]
    shown += [column for column in measures if column.key not in MEASURES][:2]
    if not shown:
        return None
    lines, sections, height = _lines(summary)
    names = [name for _, name, _ in lines] + [name for name, _ in sections]
    left = 12 + LETTER * max(map(len, names))
    each = max((WIDTH - left) / max(len(shown), len(DOTTED)) - GAP, LEAST_PANEL)
    panels = tuple(
        _panel(summary, column, lines, start=left + GAP + place * (each + GAP), length=each)
        for place, column in enumerate(shown)
    )
    width = left + len(shown) * (each + GAP) + GAP
    return DotPlot(width, height, left, tuple((n, y) for _, n, y in lines), sections, panels)


def cost_plots(summary: Summary) -> tuple[CostPlot, ...]:
    """Lay out R@1 against the operations and the time that a picture takes."""
    plots = (_cost_plot(summary, cost) for cost in AGAINST)
    return tuple(plot for plot in plots if plot is not None)


def is_grid(summary: Summary) -> bool:
    """Say whether a head and a loss name each variant, and there is more than one loss."""
    pairs = {(v.rows[0].head, v.rows[0].loss) for v in summary.finished}
    return len(summary.losses) > 1 and len(pairs) == len(summary.finished)


def _lines(
    summary: Summary,
) -> tuple[list[tuple[Variant, str, float]], tuple[tuple[str, float], ...], float]:
    """Place a line for each variant; return them, the sections, and the height of all."""
    lines: list[tuple[Variant, str, float]] = []
    sections: list[tuple[str, float]] = []
    y = TOP
    if not is_grid(summary):
        for variant in summary.finished:
            lines.append((variant, variant.name, y + LINE / 2))
            y += LINE
        return lines, (), y + BOTTOM
    for loss in summary.losses:
        sections.append((loss, y + SECTION / 2 + 3))
        y += SECTION
        for variant in summary.with_loss(loss):
            lines.append((variant, variant.rows[0].head, y + LINE / 2))
            y += LINE
    return lines, tuple(sections), y + BOTTOM


def _panel(
    summary: Summary,
    column: Column,
    lines: Sequence[tuple[Variant, str, float]],
    *,
    start: float,
    length: float,
) -> Panel:
    x = axis(extent(summary, column.key), start=start, end=start + length)
    points = []
    for variant, _, y in lines:
        values = variant.over_seeds(column.key)
        if values is not None:
            low, high = (x.at(value) for value in reach(values))
            dots = tuple(x.at(value) for value in values.values)
            said, colour = words(variant, column.label, values), colour_of(summary, variant)
            points.append(Point(variant.name, said, x.at(values.mean), y, low, high, dots, colour))
    return Panel(column.label, x, tuple(points))


def _cost_plot(summary: Summary, cost: Column) -> CostPlot | None:
    both = [
        (variant, spent.mean / cost.unit, score)
        for variant in summary.finished
        if (spent := variant.over_seeds(cost.key)) and (score := variant.over_seeds(RANKING))
    ]
    if len(both) < 2:
        return None
    height = max(COST_HEIGHT, TOP + BOTTOM + LABEL_GAP * len(both))
    x = axis([own for _, own, _ in both], start=LEFT, end=LEFT + COST_WIDTH)
    y = axis(extent(summary, RANKING), start=height - BOTTOM, end=TOP)
    places = [y.at(score.mean) for *_, score in both]
    labels = apart(places, gap=LABEL_GAP, low=TOP, high=height - BOTTOM)
    points = []
    for (variant, own, score), place, label in zip(both, places, labels, strict=True):
        low, high = (y.at(value) for value in reach(score))
        said = f"{words(variant, MEASURES[RANKING], score)}; {cost.label} {significant(own)}"
        colour = colour_of(summary, variant)
        points.append(Point(variant.name, said, x.at(own), place, low, high, (), colour, label))
    width = LEFT + COST_WIDTH + 40 + LETTER * max(len(variant.name) for variant, *_ in both)
    return CostPlot(width, height, y, Panel(f"R@1 against {cost.label}", x, tuple(points)))


def extent(summary: Summary, key: str) -> list[float]:
    """Return every value that an axis must hold: seeds and spreads."""
    measured = [values for v in summary.finished if (values := v.over_seeds(key))]
    return [value for values in measured for value in (*values.values, *reach(values))]


def reach(values: OverSeeds) -> tuple[float, float]:
    """Return the mean less the spread and with it; the mean twice where there is none."""
    own = spread(values) or 0.0
    return values.mean - own, values.mean + own


def words(variant: Variant, label: str, values: OverSeeds) -> str:
    """Say what a point is, for who points at it."""
    own = spread(values)
    words = f"{variant.name}: {label} {values.mean:.3f}"
    return words if own is None else f"{words} ± {own:.3f}"


def colour_of(summary: Summary, variant: Variant) -> int:
    """Return the number of a variant's colour: one for each loss."""
    return summary.losses.index(variant.rows[0].loss) % COLOURS
