"""What a comparison says, in sentences that follow from its numbers alone."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise, product

from lookalike.comparison.comparison_tables import COSTS, MAIN, ranking_metrics
from lookalike.comparison.explanation_numbers import (
    OTHER_MAPS,
    OWN_MAPS,
    headlines,
    in_words,
    key_of,
)
from lookalike.comparison.runs import Comparison, Variant, told_apart
from lookalike.evaluation import OverSeeds
from lookalike.explanation.measures import Quantity
from lookalike.rendering.numbers import significant

RULE = " Here > is ahead of the next by more than the larger of their two spreads, ≈ by no more."
UNKNOWN = " Where there is one seed, nothing says which differences are chance."
RANKS_BY = MAIN[0]
COSINE = "self_pair_cosine_mean"

Ranked = tuple[Variant, OverSeeds]


def verdict(runs: Comparison) -> tuple[str, ...]:
    """Say which variant is ahead by how much, against the spreads, and at what cost.

    Nothing is said of reasons, nor of other data.
    """
    order = ranked(runs.finished, RANKS_BY)
    if not order:
        return ("No run was finished: there is nothing to compare.",)
    described = (*_self_pairs(runs), *explanation_sentences(runs))
    if len(order) == 1:
        alone = f"{order[0][0].name} {order[0][1].mean:.3f}"
        said = f"There is one variant, {alone}: nothing to compare it with."
        return (said, *described, *_missing(runs))
    return (
        _order(order),
        _against(order),
        *_by_loss(runs),
        *_by_other_metrics(runs),
        *described,
        _cost(order[0][0], runs.finished),
        *_missing(runs),
    )


def ranked(variants: Sequence[Variant], key: str) -> list[Ranked]:
    """Sort the variants that have a number by its mean, the highest first."""
    measured = [(variant, values) for variant in variants if (values := variant.over_seeds(key))]
    return sorted(measured, key=lambda item: -item[1].mean)


def _order(order: Sequence[Ranked]) -> str:
    counts = sorted({len(values.values) for _, values in order})
    seeds = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    told = [told_apart(before, after) for (_, before), (_, after) in pairwise(order)]
    signs = {True: " > ", False: " ≈ ", None: ", "}
    text = f"By R@1, mean of {seeds} {'seed' if counts[-1] == 1 else 'seeds'}: "
    for sign, (variant, values) in zip(["", *map(signs.get, told)], order, strict=True):
        text += f"{sign}{variant.name} {values.mean:.3f}"
    rule = "" if set(told) == {None} else RULE
    return f"{text}.{rule}{UNKNOWN if None in told else ''}"


def _against(order: Sequence[Ranked]) -> str:
    """Compare the first with the second, by the spreads."""
    (first, one), (second, two) = order[:2]
    difference = f"{abs(one.mean - two.mean):.3f}"
    names = f"{first.name} ({one.mean:.3f})", f"{second.name} ({two.mean:.3f})"
    told = told_apart(one, two)
    if told is None:
        return f"{names[0]} is above {names[1]} by {difference}."
    spreads = f"the spreads are {one.spread:.3f} and {two.spread:.3f}"
    if told:
        return f"{names[0]} is ahead of {names[1]} by {difference}; {spreads}."
    return f"{names[0]} and {names[1]} are not told apart: they differ by {difference}, {spreads}."


def _by_loss(runs: Comparison) -> Iterator[str]:
    """Say which variant is first with each loss, if there are several losses."""
    for loss in runs.losses if len(runs.losses) > 1 else ():
        order = ranked(runs.with_loss(loss), RANKS_BY)
        if len(order) > 1:
            yield f"With {loss}: {_against(order)}"


def _by_other_metrics(runs: Comparison) -> Iterator[str]:
    """Say which variant is first by each metric that is not one of the usual ones."""
    for metric in ranking_metrics(runs)[1]:
        order = ranked(runs.finished, metric.key)
        if metric.better == "lower":
            order.reverse()
        if len(order) > 1 and order[0][1].mean != order[-1][1].mean:
            yield f"By {metric.label}: {_against(order)}"


def _self_pairs(runs: Comparison) -> list[str]:
    """Say how alike two learners see one picture, variant by variant."""
    means = [f"{v.name} {c.mean:.3f}" for v in runs.finished if (c := v.over_seeds(COSINE))]
    said = f"Mean cosine of two learners on the same picture: {', '.join(means)}."
    return [said] if means else []


def explanation_sentences(runs: Comparison) -> list[str]:
    """Compare the exact maps of each variant with Grad-CAM's, a sentence for each measure."""
    return [
        f"By {quantity.label}, {in_words(quantity)}, exact maps against Grad-CAM's: {said}"
        for quantity in headlines()
        if (said := _maps_against(runs, quantity))
    ]


def _maps_against(runs: Comparison, quantity: Quantity) -> str:
    """Say in which variants the own maps do better, worse, or about as well."""
    said: dict[str, list[str]] = {}
    for variant, method in product(runs.finished, OWN_MAPS):
        own = variant.over_seeds(key_of(quantity, method))
        other = variant.over_seeds(key_of(quantity, OTHER_MAPS))
        if own is None or other is None:
            continue
        told = told_apart(own, other)
        if told is False:
            how = "not told apart in"
        else:
            better = (own.mean < other.mean) == (quantity.better == "lower")
            how = f"{'better' if better else 'worse'}{'' if told else ' (one seed)'} in"
        name = variant.name if method == OWN_MAPS[0] else f"{variant.name}, {method}"
        said.setdefault(how, []).append(f"{name} ({own.mean:.3f} against {other.mean:.3f})")
    parts = [f"{how} {', '.join(names)}" for how, names in sorted(said.items())]
    return f"{'; '.join(parts)}." if parts else ""


def _cost(first: Variant, variants: Sequence[Variant]) -> str:
    """Compare each cost of the first variant with the lowest."""
    parts = []
    for key, cost in COSTS.items():
        own = first.over_seeds(key)
        if own is None or not cost.words:
            continue
        means = [each.mean for v in variants if (each := v.over_seeds(key))]
        place = f"{own.mean / min(means):.2f} times the lowest"
        if math.isclose(own.mean, min(means)):
            place = "as all" if math.isclose(own.mean, max(means)) else "the lowest"
        parts.append(f"{significant(own.mean / cost.unit)} {cost.words} ({place})")
    return f"{first.name} costs {', '.join(parts)}."


def _missing(runs: Comparison) -> list[str]:
    if not runs.failures:
        return []
    # A run that was trained and then failed to be measured has a row all the same.
    finished = {f"{row.variant}/seed-{row.seed}" for row in runs.rows}
    count = len(finished | {failure.folder for failure in runs.failures})
    return [f"{len(runs.failures)} of {count} runs failed; means are over what was measured."]
