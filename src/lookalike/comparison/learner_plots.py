"""The histograms of self-pair cosines as places on a drawing; the page's template draws them."""

from dataclasses import dataclass

from lookalike.comparison.axes import Axis, between
from lookalike.comparison.learners import BINS
from lookalike.comparison.plots import LETTER, colour_of
from lookalike.comparison.row import Series
from lookalike.comparison.summary import Summary, Variant

COUNTS, MEAN = "self_pair_cosine_counts", "self_pair_cosine_mean"
DEVIATION = "self_pair_cosine_deviation"

# Pixels.
TOP, ROW, BOTTOM = 34.0, 58.0, 30.0
TALLEST, WIDTH, NUMBERS = 46.0, 640.0, 180.0


@dataclass(frozen=True, slots=True)
class Histogram:
    """The cosines of one variant, all seeds together.

    Args:
        name: Of the variant.
        numbers: Their mean and deviation, in words.
        words: The same with the variant's name and what the tallest bin holds.
        base: Where the bins stand, pixels.
        outline: Corners of the area of the bins.
        mean: Where their mean is.
        colour: Number of its colour.
    """

    name: str
    numbers: str
    words: str
    base: float
    outline: tuple[tuple[float, float], ...]
    mean: float
    colour: int


@dataclass(frozen=True, slots=True)
class Histograms:
    """One above the other, on one axis.

    Args:
        width: Pixels.
        height: Pixels.
        left: Where the names end.
        x: Of the cosine.
        rows: From the top down.
    """

    width: float
    height: float
    left: float
    x: Axis
    rows: tuple[Histogram, ...]


def histograms(summary: Summary) -> Histograms | None:
    """Lay out the cosines of two learners on one picture; None where there are none."""
    counted = [(variant, counts) for variant in summary.finished if (counts := _counts(variant))]
    if not counted:
        return None
    left = 12 + LETTER * max(len(variant.name) for variant, _ in counted)
    seen = [bin_ for _, counts in counted for bin_, count in enumerate(counts) if count]
    low, high = _edge(max(0, min(seen) - 1)), _edge(min(BINS, max(seen) + 2))
    x = between(low, high, start=left + 24, end=left + 24 + WIDTH)
    rows = tuple(
        _histogram(summary, variant, counts, x, base=TOP + ROW * number)
        for number, (variant, counts) in enumerate(counted, start=1)
    )
    return Histograms(x.end + NUMBERS, rows[-1].base + BOTTOM, left, x, rows)


def _counts(variant: Variant) -> Series:
    """Add up the histograms of a variant's runs; empty where there is none."""
    known = [row.series[COUNTS] for row in variant.rows if COUNTS in row.series]
    return tuple(map(sum, zip(*known, strict=True)))


def _histogram(
    summary: Summary, variant: Variant, counts: Series, x: Axis, *, base: float
) -> Histogram:
    mean, deviation = variant.over_seeds(MEAN), variant.over_seeds(DEVIATION)
    assert mean is not None
    assert deviation is not None
    tallest = max(counts)
    outline = [(x.at(_edge(0)), base)]
    for bin_, count in enumerate(counts):
        height = base - TALLEST * count / tallest
        outline += [(x.at(_edge(bin_)), height), (x.at(_edge(bin_ + 1)), height)]
    inside = [(place, y) for place, y in outline if x.start - 1 < place < x.end + 1]
    numbers = f"{mean.mean:.3f}, deviation {deviation.mean:.3f}"
    peak = f"{tallest / sum(counts):.0%} in the tallest bin"
    return Histogram(
        variant.name,
        numbers,
        f"{variant.name}: mean {numbers}; {peak}",
        base,
        ((inside[0][0], base), *inside, (inside[-1][0], base)),
        x.at(mean.mean),
        colour_of(summary, variant),
    )


def _edge(bin_: int) -> float:
    """Return where a bin begins."""
    return 2 * bin_ / BINS - 1
