"""What a comparison says, from its numbers alone."""

from collections.abc import Sequence
from itertools import pairwise

from lookalike.evaluation import OverSeeds
from lookalike.recipes.comparison.columns import COSTS, MEASURES, columns, significant
from lookalike.recipes.comparison.summary import Summary, Variant, ranked, spread, told_apart

FIRST = "recall_at_1"
"""The measure that ranks."""

Ranked = tuple[Variant, OverSeeds]


def verdict(summary: Summary) -> tuple[str, ...]:
    """Say who is ahead by how much, against the spreads, and at what cost; a sentence or two each.

    Nothing is said of why, nor of other data.
    """
    order = ranked(summary.finished, FIRST)
    if not order:
        return ("No run was finished: there is nothing to compare.",)
    if len(order) == 1:
        return (f"There is one variant, {_with_value(order[0])}: nothing to compare it with.",)
    return (
        _order(order),
        _against(order[0], order[1]),
        *_by_loss(summary),
        *_extra(summary),
        _cost(order[0][0], summary.finished),
        *_missing(summary),
    )


def _order(order: Sequence[Ranked]) -> str:
    counts = sorted({len(values.values) for _, values in order})
    seeds = " to ".join(str(count) for count in (counts[0], counts[-1])[: len(counts)])
    text = f"By R@1, mean of {seeds} {'seed' if counts[-1] == 1 else 'seeds'}: "
    text += _with_value(order[0])
    signs = {True: ">", False: "≈", None: ","}
    used = []
    for before, after in pairwise(order):
        used.append(told_apart(before[1], after[1]))
        sign = signs[used[-1]]
        text += f"{'' if sign == ',' else ' '}{sign} {_with_value(after)}"
    ahead = "> is ahead of the next by more than the larger of their two spreads"
    same = "≈ is not told apart by that rule"
    said = [words for told, words in ((True, ahead), (False, same)) if told in used]
    if said == [same]:
        said = ["≈ is ahead of the next by no more than the larger of their two spreads"]
    return f"{text}.{' Here ' + ', '.join(said) + '.' if said else ''}"


def _against(first: Ranked, second: Ranked) -> str:
    """Set the first against the second, by the spreads."""
    (a, one), (b, two) = first, second
    difference = f"{abs(one.mean - two.mean):.3f}"
    spreads = spread(one), spread(two)
    told = told_apart(one, two)
    if told is None or spreads[0] is None or spreads[1] is None:
        return (
            f"{a.name} is above {b.name} by {difference}; where there is one seed, nothing says "
            "whether that is chance."
        )
    beside = f"the spreads are {spreads[0]:.3f} and {spreads[1]:.3f}"
    if told:
        return f"{a.name} is ahead of {b.name} by {difference}; {beside}."
    return f"{a.name} and {b.name} are not told apart: they differ by {difference}, {beside}."


def _by_loss(summary: Summary) -> list[str]:
    """Say who is first with each loss, where there is more than one of each."""
    if len(summary.losses) < 2:
        return []
    orders = {loss: ranked(summary.with_loss(loss), FIRST) for loss in summary.losses}
    return [
        f"With {loss}: {_against(order[0], order[1])}"
        for loss, order in orders.items()
        if len(order) > 1
    ]


def _extra(summary: Summary) -> list[str]:
    """Say who is first by each measure that is not of the usual ones."""
    said = []
    for column in columns(summary):
        if column.cost or column.key in MEASURES:
            continue
        order = ranked(summary.finished, column.key)
        if len(order) > 1 and order[0][1].mean > order[-1][1].mean:
            said.append(
                f"By {column.label}: {_with_value(order[0])} is first. "
                f"{_against(order[0], order[1])}"
            )
    return said


def _cost(first: Variant, variants: Sequence[Variant]) -> str:
    """Set each cost of the first against the lowest."""
    parts = []
    for column in COSTS[:3]:
        known = [(v, cost.mean) for v in variants if (cost := v.over_seeds(column.key))]
        own = dict((v.name, cost) for v, cost in known).get(first.name)
        if own is None:
            continue
        cheapest, lowest = min(known, key=lambda item: item[1])
        shown = f"{column.label} {significant(own / column.unit)}"
        others = "the lowest" if own == lowest else f"{own / lowest:.2f}× {cheapest.name}'s"
        parts.append(f"{shown} ({others})")
    return f"{first.name} costs: {'; '.join(parts)}."


def _missing(summary: Summary) -> list[str]:
    if not summary.failures:
        return []
    runs = len(summary.failures) + len(summary.rows)
    return [f"{len(summary.failures)} of {runs} runs failed; means are over the others."]


def _with_value(item: Ranked) -> str:
    variant, values = item
    return f"{variant.name} {values.mean:.3f}"
