"""How an estimate and its interval are written, in sentences and in tables."""

from lookalike.rendering.numbers import number
from lookalike.rendering.tables import TableCell
from lookalike.statistics.bootstrap import Interval


def span(interval: Interval) -> str:
    """Write the ends of an interval.

    >>> span(Interval(0.1, 0.2, 0.3))
    '[0.100, 0.300]'
    """
    return f"[{number(interval.low)}, {number(interval.high)}]"


def estimate(interval: Interval) -> str:
    """Write an estimate with its interval.

    >>> estimate(Interval(0.1, 0.2, 0.3))
    '0.200 [0.100, 0.300]'
    """
    return f"{number(interval.mean)} {span(interval)}"


def interval_cell(interval: Interval | None) -> TableCell:
    """Write an estimate, its interval in small print; a dash where there is none."""
    return TableCell("–") if interval is None else TableCell(number(interval.mean), span(interval))
