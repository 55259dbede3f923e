"""The charts of a comparison."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lookalike.comparison.comparison_tables import (
    COSTS,
    MAIN,
    PER_PICTURE,
    Cost,
    Effect,
    ranking_metrics,
)
from lookalike.comparison.explanation_numbers import compared_methods, headlines, in_words, key_of
from lookalike.comparison.run_measures import BINS, metric_of
from lookalike.comparison.runs import Comparison, Variant, with_spread
from lookalike.evaluation import OverSeeds
from lookalike.explanation.saliency import METHODS
from lookalike.rendering import charts
from lookalike.rendering.numbers import number, significant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Values = tuple[float, ...]

MOST_OTHERS = 2
"""Metrics that are not usual ones and get a plot of their own, at most."""
COUNTS, MEAN = "self_pair_cosine_counts", "self_pair_cosine_mean"
DEVIATION = "self_pair_cosine_deviation"


def metrics_chart(runs: Comparison) -> "Figure | None":
    """Draw a dot for each seed and a stroke for each mean; None if nothing was measured.

    If heads and losses form a grid, the heads of one loss stand together.
    """
    main, others = ranking_metrics(runs)
    lines = _lines(runs)
    plots = [
        charts.DotPlot(
            metric.label,
            tuple(
                _dot(place, variant, values, metric.label, _colour_of(runs, variant))
                for place, (_, variant) in enumerate(lines)
                if variant and (values := variant.over_seeds(metric.key))
            ),
        )
        for metric in main + others[:MOST_OTHERS]
    ]
    if not plots:
        return None
    return charts.dots(
        [name for name, _ in lines],
        plots,
        label=f"Each seed, mean and spread of {', '.join(plot.title for plot in plots)} for each "
        "variant; the table has the same numbers",
        headings=[place for place, (_, variant) in enumerate(lines) if variant is None],
    )


def maps_chart(runs: Comparison) -> "Figure | None":
    """Draw what the maps of each method achieve; None if explanations were not measured."""
    methods, plots = compared_methods(), []
    for quantity in headlines():
        dots = tuple(
            _dot(place, variant, values, f"{quantity.label}, {METHODS[method].label}", colour)
            for place, variant in enumerate(runs.finished)
            for colour, method in enumerate(methods)
            if (values := variant.over_seeds(key_of(quantity, method)))
        )
        if dots:
            title = f"{quantity.label}, {in_words(quantity)}"
            marks = () if quantity.chance is None else (quantity.chance,)
            plots.append(charts.DotPlot(title, dots, marks))
    if not plots:
        return None
    used = {dot.colour for plot in plots for dot in plot.dots}
    return charts.dots(
        [variant.name for variant in runs.finished],
        plots,
        label="Each seed, mean and spread for the maps of each method; the tables have the same "
        "numbers",
        key={METHODS[method].label: n for n, method in enumerate(methods) if n in used},
    )


def learners_chart(runs: Comparison) -> "Figure | None":
    """Draw histograms of the cosine of two learners on one picture; None if there are none.

    They stand below each other on one axis, each drawn to its own highest bin.
    """
    rows = []
    for variant in runs.finished:
        known = [row.series[COUNTS] for row in variant.rows if COUNTS in row.series]
        cosine, spread = variant.over_seeds(MEAN), variant.over_seeds(DEVIATION)
        if known and cosine is not None and spread is not None:
            counts = [sum(each) for each in zip(*known, strict=True)]
            rows.append((variant, counts, cosine.mean, spread.mean))
    if not rows:
        return None
    figure, grid = charts.new_axes(
        len(rows),
        1,
        size=(0.75 * charts.PAGE, charts.HEAD + 2 * charts.ROW * len(rows)),
        label="Histogram of the cosines of two learners on one picture for each variant; the table "
        "has means and deviations",
        sharex=True,
    )
    edges = [2 * place / BINS - 1 for place in range(BINS + 1)]
    used = [place for _, counts, *_ in rows for place, count in enumerate(counts) if count]
    for axes, (variant, counts, mean, deviation) in zip(grid, rows, strict=True):
        charts.style(axes, "", grid="x", x_label="cosine of two learners on the same picture")
        colour = charts.colour_of(_colour_of(runs, variant))
        note = f"{number(mean)}, deviation {number(deviation)}"
        peak = f"{max(counts) / sum(counts):.0%} in the tallest bin"
        bars = axes.stairs(counts, edges, fill=True, color=colour, alpha=0.3)
        charts.say(bars, f"{variant.name}: mean {note}; {peak}")
        axes.stairs(counts, edges, color=colour, linewidth=1.2)
        axes.axvline(mean, color=colour, linewidth=2.6)
        axes.set_xlim(edges[max(0, min(used) - 1)], edges[min(BINS, max(used) + 2)])
        axes.set_ylim(0, 1.05 * max(counts))
        axes.set_yticks([0], [variant.name])
        axes.tick_params(axis="y", length=0, labelcolor=charts.INK)
        axes.text(1.02, 0, note, color=charts.PALE, transform=axes.transAxes)
        axes.label_outer()
    return figure


def effect_chart(effect: Effect) -> "Figure":
    """Draw R@1 at each value of a key; values stand at equal distances."""
    others = list(dict.fromkeys(line.others for line in effect.lines))
    nothing = OverSeeds((math.nan,))
    curves = []
    for line in effect.lines:
        colour = others.index(line.others)
        aside = 0.04 * (colour - (len(others) - 1) / 2)  # so that equal values can be told apart
        said = [
            f"{line.name}, {effect.key} {value}: {with_spread(values)}"
            for value, values in zip(effect.values, line.values, strict=True)
            if values
        ]
        curves.append(
            charts.Curve(
                line.name,
                tuple(place + aside for place in range(len(line.values))),
                *_means([values or nothing for values in line.values]),
                colour=colour,
                dashed=line.of_one,
                words="; ".join(said),
            )
        )
    ticks = {value: float(place) for place, value in enumerate(effect.values)}
    return charts.curves(
        [charts.CurvePlot(tuple(curves), title=effect.title, y_label="R@1", x_ticks=ticks)],
        label=f"{effect.title}: R@1 at each value; the table has the same numbers",
        names="ends",
        marked=True,
    )


def cost_charts(runs: Comparison) -> "list[Figure]":
    """Draw R@1 against the operations and against the time for a picture."""
    shown = {key: cost for key, cost in COSTS.items() if cost.words.endswith(PER_PICTURE)}
    drawn = [_cost_chart(runs, key, cost) for key, cost in shown.items()]
    return [chart for chart in drawn if chart is not None]


def is_grid(runs: Comparison) -> bool:
    """Say whether a head and a loss name each variant, and there is more than one loss."""
    pairs = {(v.rows[0].head, v.rows[0].loss) for v in runs.finished}
    return len(runs.losses) > 1 and len(pairs) == len(runs.finished)


def _lines(runs: Comparison) -> Sequence[tuple[str, Variant | None]]:
    """Return the names from the top down; a heading has no variant."""
    if not is_grid(runs):
        return [(variant.name, variant) for variant in runs.finished]
    lines: list[tuple[str, Variant | None]] = []
    for loss in runs.losses:
        lines.append((loss, None))
        lines += [(variant.rows[0].head, variant) for variant in runs.with_loss(loss)]
    return lines


def _dot(row: int, variant: Variant, values: OverSeeds, label: str, colour: int) -> charts.Dot:
    ((mean,), (low,), (high,)) = _means([values])
    words = f"{variant.name}: {label} {with_spread(values)}"
    return charts.Dot(row, mean, low, high, values.values, colour, words=words)


def _means(over: Sequence[OverSeeds]) -> tuple[Values, Values, Values]:
    """Return means, the lower ends of their spreads and the upper ones."""
    ends = ((each.mean, each.mean - each.spread, each.mean + each.spread) for each in over)
    means, lows, highs = zip(*ends, strict=True)
    return means, lows, highs


def _cost_chart(runs: Comparison, key: str, cost: Cost) -> "Figure | None":
    best = metric_of(MAIN[0])
    points = []
    for variant in runs.finished:
        spent, score = variant.over_seeds(key), variant.over_seeds(best.key)
        if spent is None or score is None:
            continue
        x = spent.mean / cost.unit
        words = f"{variant.name}: {best.label} {with_spread(score)}; {cost.label} {significant(x)}"
        colour = _colour_of(runs, variant)
        point = charts.Curve(variant.name, (x,), *_means([score]), colour=colour, words=words)
        points.append(point)
    if len(points) < 2:
        return None
    title = f"{best.label} against {cost.label}"
    plot = charts.CurvePlot(tuple(points), title, cost.label, best.label)
    label = f"{title}; the table has the same numbers"
    return charts.curves([plot], label=label, names="ends", marked=True)


def _colour_of(runs: Comparison, variant: Variant) -> int:
    """Return a variant's colour: one for each loss."""
    return runs.losses.index(variant.rows[0].loss)
