"""Axes: where values lie on a drawing, and where their names find room."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

TICK = 44.0
"""Pixels from one tick to the next, at least."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Where values lie.

    Args:
        low: Value at `start`.
        high: Value at `end`.
        start: Pixels.
        end: Pixels.
        ticks: Values to write.
        digits: After the point of a tick.
    """

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]
    digits: int

    def at(self, value: float) -> float:
        """Return where a value lies, pixels."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def write(self, tick: float) -> str:
        """Write a tick's value."""
        return f"{tick:.{self.digits}f}".replace("-", "−")


def axis(values: Sequence[float], *, start: float, end: float) -> Axis:
    """Make an axis that holds all values, with ticks at round numbers, not too near to each other.

    >>> axis([0.52, 0.58], start=0.0, end=250.0).ticks
    (0.52, 0.54, 0.56, 0.58)
    """
    low, high = min(values), max(values)
    pad = 0.08 * (high - low) or 0.1 * abs(high) or 1.0
    return between(low - pad, high + pad, start=start, end=end)


def between(low: float, high: float, *, start: float, end: float) -> Axis:
    """Make an axis from one value to another, with ticks at round numbers.

    >>> between(-1.0, 1.0, start=0.0, end=200.0).ticks
    (-1.0, -0.5, 0.0, 0.5, 1.0)
    """
    least = (high - low) * TICK / abs(end - start)
    power = 10.0 ** math.floor(math.log10(least))
    step = next(power * n for n in (1, 2, 5, 10) if power * n >= least)
    first, last = math.ceil(low / step), math.floor(high / step)
    digits = max(0, -math.floor(math.log10(step)))
    ticks = tuple(round(n * step, digits) for n in range(first, last + 1))
    return Axis(low, high, start, end, ticks, digits)


def apart(places: Sequence[float], *, gap: float, low: float, high: float) -> list[float]:
    """Move places on a line until none is nearer to the next than `gap`; their order stays.

    >>> apart([50.0, 52.0, 10.0], gap=10.0, low=0.0, high=60.0)
    [50.0, 60.0, 10.0]
    """
    order = sorted(range(len(places)), key=lambda i: places[i])
    moved = list(places)
    at = low - gap
    for i in order:
        at = moved[i] = max(moved[i], at + gap)
    at = high + gap
    for i in reversed(order):
        at = moved[i] = min(moved[i], at - gap)
    return moved
