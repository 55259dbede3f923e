"""What a report on explanations says, in sentences and as a few lines for a terminal."""

from lookalike.explanation.interventions.curves import KINDS, Kind
from lookalike.explanation.interventions.masking import Fill
from lookalike.explanation.measures import Faithfulness
from lookalike.explanation.report.explanations_report import ExplanationsReport
from lookalike.explanation.report.wording import FILLS, estimate, label_of, method_label
from lookalike.rendering.numbers import number, percent


def summary(report: ExplanationsReport) -> str:
    """Return areas line by line, then the other findings, and what was left out."""
    lines = [f"{report.pairs} pairs; {report.model}", report.data]
    for fill, shown in FILLS.items():
        under_fill = [each for each in report.faithfulness if each.masking.fill == fill]
        if under_fill:
            lines.append(_line(f"hidden cells {shown}", "deletion", "insertion"))
        for each in under_fill:
            areas = (estimate(each.curves(kind).area) for kind in KINDS)
            lines.append(_line(f"  {label_of(each)}", *areas))
    lines += _others(report)
    return "\n".join([*lines, *(f"! left out, {reason}" for reason in report.left_out)])


def _line(name: str, deletion: str, insertion: str) -> str:
    return f"{name:<27}{deletion:<23}{insertion}"


def findings(report: ExplanationsReport) -> tuple[str, ...]:
    """Return what the numbers say, a sentence each."""
    compared = (_compare(report, fill, kind) for fill in FILLS for kind in KINDS)
    return (*(sentence for sentence in compared if sentence), *_others(report))


def procedure(report: ExplanationsReport) -> tuple[str, ...]:
    """Return how it was measured, a sentence each."""
    lines = [
        f"Model: {report.model}.",
        f"Data: {report.data}.",
        f"{report.pairs} pairs of one class, drawn with seed {report.seed}.",
        "Intervals: 95 %, bootstrap over the pairs' query pictures.",
    ]
    if report.faithfulness:
        masking = report.faithfulness[0].masking
        lines.append(
            f"Masked in at most {masking.steps} steps on a grid of at most {masking.cells} × "
            f"{masking.cells} cells; a blur has a deviation of {masking.radius:g} of the side."
        )
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    return (*lines, f"Versions: {versions}.")


def _compare(report: ExplanationsReport, fill: Fill, kind: Kind) -> str | None:
    """Say which map is best under a fill, and whether the next and the random one are worse."""
    rows = [each for each in report.faithfulness if each.masking.fill == fill and not each.swapped]
    if not rows:
        return None
    ranked = sorted(rows, key=lambda each: _badness(each, kind))
    best = ranked[0]
    text = (
        f"{kind.capitalize()}, hidden cells {FILLS[fill]}: best is {label_of(best)}, "
        f"{estimate(best.curves(kind).area)}"
    )
    for each in ranked[1:]:
        if each is ranked[1] or each.method == "random":
            overlap = best.curves(kind).area.overlaps(each.curves(kind).area)
            apart = "intervals overlap" if overlap else "intervals apart"
            text += f"; {label_of(each)} {estimate(each.curves(kind).area)}, {apart}"
    return f"{text}."


def _badness(each: Faithfulness, kind: Kind) -> float:
    area = each.curves(kind).area.mean
    return area if kind == "deletion" else -area


def _others(report: ExplanationsReport) -> list[str]:
    """Return a sentence each about everything but deletion and insertion."""
    sentences = []
    correlations = [
        f"{method_label(each.method)} {number(interval.mean)}"
        for each in report.randomisation
        if (interval := each.correlations.interval)
    ]
    if correlations:
        sentences.append(f"Correlation with maps of random weights: {', '.join(correlations)}.")
    if report.localisation:
        whole = report.localisation[0].whole
        points = ", ".join(
            f"{method_label(each.of)} {percent(each.whole.peaks.mean)}"
            for each in report.localisation
        )
        chance = percent(whole.peaks_by_chance)
        sentences.append(
            f"The map's peak is on a known part ({whole.name}): {points}; any cell {chance}."
        )
    sentences += [
        f"Groups and parts, {parts.peaks.of}: {number(parts.information)} bits "
        f"({number(parts.information_by_chance)} by chance)."
        for parts in report.groups
    ]
    sentences += [
        f"Two groups' maps, {each.of}: cosine {number(each.map_cosine.mean)}."
        for each in report.diversity
        if each.map_cosine is not None
    ]
    followed = [
        f"{method_label(each.method)} {number(interval.mean)}"
        for each in report.stability
        if (interval := each.responses[0].followed.interval)
    ]
    if followed:
        change = report.stability[0].responses[0].change
        sentences.append(f"Following a {change}: r = {', '.join(followed)}.")
    return sentences
