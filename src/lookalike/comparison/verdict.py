"""What a comparison says, from its numbers alone."""

import math
from collections.abc import Sequence
from itertools import pairwise

from lookalike.comparison.columns import COSTS, MEASURES, columns
from lookalike.comparison.explained import explained
from lookalike.comparison.summary import Summary, Variant, ranked, told_apart
from lookalike.evaluation import OverSeeds
from lookalike.rendering.numbers import significant

RULE = " Here > is ahead of the next by more than the larger of their two spreads, ≈ by no more."
UNKNOWN = " Where there is one seed, nothing says which differences are chance."
FIRST = "recall_at_1"
"""The measure that ranks."""

COSINE = "self_pair_cosine_mean"

WORDS = ("M parameters", "GFLOPs a picture", "ms a picture")
"""Of the costs that are held against the lowest, in the order of `COSTS`."""

Ranked = tuple[Variant, OverSeeds]


def verdict(summary: Summary) -> tuple[str, ...]:
    """Say who is ahead by how much, against the spreads, and at what cost; a sentence or two each.

    Nothing is said of why, nor of other data.
    """
    order = ranked(summary.finished, FIRST)
    if not order:
        return ("No run was finished: there is nothing to compare.",)
    if len(order) == 1:
        alone = f"There is one variant, {_with_value(order[0])}: nothing to compare it with."
        said = (*_self_pairs(summary), *explained(summary), *_missing(summary))
        return (alone, *said)
    return (
        _order(order),
        _against(order[0], order[1]),
        *_by_loss(summary),
        *_extra(summary),
        *_self_pairs(summary),
        *explained(summary),
        _cost(order[0][0], summary.finished),
        *_missing(summary),
    )


def _order(order: Sequence[Ranked]) -> str:
    counts = sorted({len(values.values) for _, values in order})
    seeds = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    text = f"By R@1, mean of {seeds} {'seed' if counts[-1] == 1 else 'seeds'}: "
    text += _with_value(order[0])
    signs = {True: ">", False: "≈", None: ","}
    used = []
    for before, after in pairwise(order):
        used.append(told_apart(before[1], after[1]))
        sign = signs[used[-1]]
        text += f"{'' if sign == ',' else ' '}{sign} {_with_value(after)}"
    rule = "" if set(used) == {None} else RULE
    return f"{text}.{rule}{UNKNOWN if None in used else ''}"


def _against(first: Ranked, second: Ranked) -> str:
    """Set the first against the second, by the spreads."""
    one, two = first[1], second[1]
    difference = f"{abs(one.mean - two.mean):.3f}"
    names = _with_value(first, "({})"), _with_value(second, "({})")
    told = told_apart(one, two)
    if told is None:
        return f"{names[0]} is above {names[1]} by {difference}."
    spreads = f"the spreads are {one.spread:.3f} and {two.spread:.3f}"
    if told:
        return f"{names[0]} is ahead of {names[1]} by {difference}; {spreads}."
    return f"{names[0]} and {names[1]} are not told apart: they differ by {difference}, {spreads}."


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
        if column.cost or column.descriptive or column.key in MEASURES:
            continue
        order = ranked(summary.finished, column.key)
        if len(order) > 1 and order[0][1].mean > order[-1][1].mean:
            said.append(f"By {column.label}: {_against(order[0], order[1])}")
    return said


def _self_pairs(summary: Summary) -> list[str]:
    """Say how alike two learners see one picture, variant by variant."""
    means = [f"{v.name} {c.mean:.3f}" for v in summary.finished if (c := v.over_seeds(COSINE))]
    if not means:
        return []
    return [f"Mean cosine of two learners on the same picture: {', '.join(means)}."]


def _cost(first: Variant, variants: Sequence[Variant]) -> str:
    """Set each cost of the first against the lowest."""
    parts = []
    for column, words in zip(COSTS, WORDS, strict=False):
        own = first.over_seeds(column.key)
        if own is None:
            continue
        costs = [cost.mean for v in variants if (cost := v.over_seeds(column.key))]
        place = f"{own.mean / min(costs):.2f} times the lowest"
        if math.isclose(own.mean, min(costs)):
            place = "as all" if math.isclose(own.mean, max(costs)) else "the lowest"
        parts.append(f"{significant(own.mean / column.unit)} {words} ({place})")
    return f"{first.name} costs {', '.join(parts)}."


def _missing(summary: Summary) -> list[str]:
    if not summary.failures:
        return []
    # A run that was trained may fail in being measured: it has a row all the same.
    finished = {f"{row.variant}/seed-{row.seed}" for row in summary.rows}
    runs = len(finished | {failure.folder for failure in summary.failures})
    return [f"{len(summary.failures)} of {runs} runs failed; means are over what was measured."]


def _with_value(item: Ranked, form: str = "{}") -> str:
    variant, values = item
    return f"{variant.name} {form.format(f'{values.mean:.3f}')}"
