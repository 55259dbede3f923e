"""The effect of each varied key as places on a drawing; the page's template draws them."""

from dataclasses import dataclass
from itertools import groupby

from lookalike.comparison.axes import Axis, apart, axis
from lookalike.comparison.effects import Effect, EffectLine, effects
from lookalike.comparison.plots import COLOURS, LETTER, reach
from lookalike.comparison.summary import Summary, spread

# Pixels.
LEFT, WIDTH, HEIGHT = 52.0, 380.0, 300.0
TOP, BOTTOM = 34.0, 30.0
INSET, NAMES = 36.0, 23.0
"""From the edges of the plot to the first and last value, and to the lines' names."""
ASIDE, GAP = 6.0, 16.0
"""Between the marks of two combinations at one value, and between two names."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A line's mean at one value, its spread, and both in words."""

    x: float
    y: float
    low: float
    high: float
    words: str


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """A line of the plot.

    Args:
        name: What it is called, at its end.
        marks: From left to right.
        stretches: What is joined up: marks with none missing between them.
        colour: Number of its colour; a combination's two lines share it.
        dashed: Whether it is of one learner.
        label_y: Where its name stands.
    """

    name: str
    marks: tuple[Mark, ...]
    stretches: tuple[tuple[Mark, ...], ...]
    colour: int
    dashed: bool
    label_y: float


@dataclass(frozen=True, slots=True)
class EffectPlot:
    """R@1 against the values of one key, at equal steps.

    Args:
        title: What it shows.
        width: Pixels.
        height: Pixels.
        end: Where the plot ends and leads to the names begin.
        y: Of R@1.
        values: And where they stand.
        lines: All in one plot.
    """

    title: str
    width: float
    height: float
    end: float
    y: Axis
    values: tuple[tuple[str, float], ...]
    lines: tuple[DrawnLine, ...]


def effect_plots(summary: Summary) -> tuple[EffectPlot, ...]:
    """Lay out a plot for each key whose values have an order."""
    return tuple(_plot(effect) for effect in effects(summary))


def _plot(effect: Effect) -> EffectPlot:
    height = max(HEIGHT, TOP + BOTTOM + GAP * len(effect.lines))
    known = [over for line in effect.lines for over in line.values if over is not None]
    extent = [value for over in known for value in (*over.values, *reach(over))]
    y = axis(extent, start=height - BOTTOM, end=TOP)
    step = (WIDTH - 2 * INSET) / (len(effect.values) - 1)
    places = [LEFT + INSET + step * number for number in range(len(effect.values))]
    others = list(dict.fromkeys(line.others for line in effect.lines))
    asides = {other: ASIDE * (n - (len(others) - 1) / 2) for n, other in enumerate(others)}
    marks = [_marks(effect, line, places, y, aside=asides[line.others]) for line in effect.lines]
    ends = [next(mark.y for mark in reversed(own) if mark) for own in marks]
    labels = apart(ends, gap=GAP, low=TOP, high=height - BOTTOM)
    lines = [
        DrawnLine(
            line.name,
            tuple(mark for mark in own if mark),
            _stretches(own),
            others.index(line.others) % COLOURS,
            line.of_one,
            label,
        )
        for line, own, label in zip(effect.lines, marks, labels, strict=True)
    ]
    end = LEFT + WIDTH
    longest = max(len(line.name) for line in effect.lines)
    width = end + NAMES + LETTER * longest
    values = tuple(zip(effect.values, places, strict=True))
    return EffectPlot(effect.title, width, height, end, y, values, tuple(lines))


def _marks(
    effect: Effect, line: EffectLine, places: list[float], y: Axis, *, aside: float
) -> list[Mark | None]:
    marks: list[Mark | None] = []
    for value, x, over in zip(effect.values, places, line.values, strict=True):
        if over is None:
            marks.append(None)
            continue
        low, high = (y.at(end) for end in reach(over))
        own = spread(over)
        words = f"{line.name}, {effect.key} {value}: {over.mean:.3f}"
        words += "" if own is None else f" ± {own:.3f}"
        marks.append(Mark(x + aside, y.at(over.mean), low, high, words))
    return marks


def _stretches(marks: list[Mark | None]) -> tuple[tuple[Mark, ...], ...]:
    runs = (tuple(mark for mark in run if mark) for _, run in groupby(marks, key=bool))
    return tuple(run for run in runs if run)
