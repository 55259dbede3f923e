"""The charts of a comparison."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lookalike.comparison.columns import COSTS, MAIN, PER_PICTURE, SECONDARY, RunColumn, columns
from lookalike.comparison.effects import Effect, EffectLine
from lookalike.comparison.explanation_numbers import compared_methods, headlines, in_words, key_of
from lookalike.comparison.run_measures import BINS, metric_of
from lookalike.comparison.variants import Variant, Variants, reach, with_spread
from lookalike.evaluation import OverSeeds
from lookalike.explanation.saliency import METHODS
from lookalike.rendering import charts
from lookalike.rendering.numbers import number, significant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_OTHERS = 2
"""Metrics that are not usual ones and get a plot of their own, at most."""
COUNTS, MEAN = "self_pair_cosine_counts", "self_pair_cosine_mean"
DEVIATION = "self_pair_cosine_deviation"


def metrics_chart(variants: Variants) -> "Figure | None":
    """Draw a dot for each seed and a stroke for each mean; None if nothing was measured.

    If heads and losses form a grid, the heads of one loss stand together.
    """
    shown = _shown(variants)
    if not shown:
        return None
    lines = _lines(variants)
    plots = [
        charts.DotPlot(
            column.metric.label,
            tuple(
                _dot(place, variant, column.metric.key, column.metric.label, colour)
                for place, (_, variant) in enumerate(lines)
                if variant is not None and variant.over_seeds(column.metric.key)
                for colour in [_colour_of(variants, variant)]
            ),
        )
        for column in shown
    ]
    return charts.dots(
        [name for name, _ in lines],
        plots,
        label=f"Each seed, mean and spread of {', '.join(plot.title for plot in plots)} for each "
        "variant; the table has the same numbers",
        headings=[place for place, (_, variant) in enumerate(lines) if variant is None],
    )


def maps_chart(variants: Variants) -> "Figure | None":
    """Draw what the maps of each method achieve; None if explanations were not measured."""
    methods, plots = compared_methods(), []
    for quantity in headlines():
        dots = tuple(
            _dot(place, variant, key, f"{quantity.label}, {METHODS[method].label}", colour)
            for place, variant in enumerate(variants.finished)
            for colour, method in enumerate(methods)
            if variant.over_seeds(key := key_of(quantity, method))
        )
        if dots:
            title = f"{quantity.label}, {in_words(quantity)}"
            marks = () if quantity.chance is None else (quantity.chance,)
            plots.append(charts.DotPlot(title, dots, marks))
    if not plots:
        return None
    used = {dot.colour for plot in plots for dot in plot.dots}
    return charts.dots(
        [variant.name for variant in variants.finished],
        plots,
        label="Each seed, mean and spread for the maps of each method; the tables have the same "
        "numbers",
        key={METHODS[method].label: n for n, method in enumerate(methods) if n in used},
    )


def learners_chart(variants: Variants) -> "Figure | None":
    """Draw histograms of the cosine of two learners on one picture; None if there are none."""
    rows = []
    for variant in variants.finished:
        known = [row.series[COUNTS] for row in variant.rows if COUNTS in row.series]
        mean, deviation = variant.over_seeds(MEAN), variant.over_seeds(DEVIATION)
        if not known or mean is None or deviation is None:
            continue
        counts = tuple(float(sum(each)) for each in zip(*known, strict=True))
        note = f"{number(mean.mean)}, deviation {number(deviation.mean)}"
        peak = f"{max(counts) / sum(counts):.0%} in the tallest bin"
        words = f"{variant.name}: mean {note}; {peak}"
        colour = _colour_of(variants, variant)
        rows.append(charts.Counts(variant.name, counts, mean.mean, note, colour, words))
    if not rows:
        return None
    return charts.histogram(
        rows,
        [2 * place / BINS - 1 for place in range(BINS + 1)],
        label="Histogram of the cosines of two learners on one picture for each variant; the table "
        "has means and deviations",
        x_label="cosine of two learners on the same picture",
    )


def effect_chart(effect: Effect) -> "Figure":
    """Draw R@1 at each value of a key; values stand at equal distances."""
    others = list(dict.fromkeys(line.others for line in effect.lines))
    asides = {other: 0.04 * (n - (len(others) - 1) / 2) for n, other in enumerate(others)}
    curves = tuple(
        _effect_curve(effect, line, colour=others.index(line.others), aside=asides[line.others])
        for line in effect.lines
    )
    ticks = {value: float(place) for place, value in enumerate(effect.values)}
    return charts.curves(
        [charts.CurvePlot(curves, title=effect.title, y_label="R@1", x_ticks=ticks)],
        label=f"{effect.title}: R@1 at each value; the table has the same numbers",
        names="ends",
        marked=True,
    )


def cost_charts(variants: Variants) -> "list[Figure]":
    """Draw R@1 against the operations and against the time for a picture."""
    return [
        chart
        for cost in COSTS
        if cost.words.endswith(PER_PICTURE) and (chart := _cost_chart(variants, cost)) is not None
    ]


def is_grid(variants: Variants) -> bool:
    """Say whether a head and a loss name each variant, and there is more than one loss."""
    pairs = {(v.rows[0].head, v.rows[0].loss) for v in variants.finished}
    return len(variants.losses) > 1 and len(pairs) == len(variants.finished)


def _shown(variants: Variants) -> list[RunColumn]:
    """Return the main metrics, and the first of those that are not usual."""
    known = [c for c in columns(variants) if not c.is_cost and not c.descriptive]
    usual = {*MAIN, *SECONDARY}
    main = [column for key in MAIN for column in known if column.metric.key == key]
    return main + [column for column in known if column.metric.key not in usual][:MOST_OTHERS]


def _lines(variants: Variants) -> Sequence[tuple[str, Variant | None]]:
    """Return the names from the top down; a heading has no variant."""
    if not is_grid(variants):
        return [(variant.name, variant) for variant in variants.finished]
    lines: list[tuple[str, Variant | None]] = []
    for loss in variants.losses:
        lines.append((loss, None))
        lines += [(variant.rows[0].head, variant) for variant in variants.with_loss(loss)]
    return lines


def _dot(row: int, variant: Variant, key: str, label: str, colour: int) -> charts.Dot:
    values = variant.over_seeds(key)
    assert values is not None
    low, high = reach(values)
    words = f"{variant.name}: {label} {with_spread(values)}"
    return charts.Dot(row, values.mean, low, high, values.values, colour, words=words)


def _effect_curve(effect: Effect, line: EffectLine, *, colour: int, aside: float) -> charts.Curve:
    """Return a line of an effect, moved a little so that equal values can be told apart."""
    nothing = OverSeeds((math.nan,))
    over = [values or nothing for values in line.values]
    ends = [reach(values) for values in over]
    said = zip(effect.values, line.values, strict=True)
    return charts.Curve(
        line.name,
        tuple(place + aside for place in range(len(over))),
        tuple(values.mean for values in over),
        tuple(low for low, _ in ends),
        tuple(high for _, high in ends),
        colour,
        dashed=line.of_one,
        words="; ".join(
            f"{line.name}, {effect.key} {value}: {with_spread(values)}"
            for value, values in said
            if values
        ),
    )


def _cost_chart(variants: Variants, cost: RunColumn) -> "Figure | None":
    best = metric_of(MAIN[0])
    points = []
    for variant in variants.finished:
        spent, score = variant.over_seeds(cost.metric.key), variant.over_seeds(best.key)
        if spent is None or score is None:
            continue
        (low, high), x = reach(score), spent.mean / cost.unit
        words = f"{variant.name}: {best.label} {with_spread(score)}"
        words += f"; {cost.metric.label} {significant(x)}"
        colour = _colour_of(variants, variant)
        point = charts.Curve(
            variant.name, (x,), (score.mean,), (low,), (high,), colour, words=words
        )
        points.append(point)
    if len(points) < 2:
        return None
    title = f"{best.label} against {cost.metric.label}"
    plot = charts.CurvePlot(tuple(points), title, cost.metric.label, best.label)
    label = f"{title}; the table has the same numbers"
    return charts.curves([plot], label=label, names="ends", marked=True)


def _colour_of(variants: Variants, variant: Variant) -> int:
    """Return a variant's colour: one for each loss."""
    return variants.losses.index(variant.rows[0].loss)
