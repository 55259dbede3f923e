"""Interim."""

from collections.abc import Iterator

from lookalike.explanation.report import ExplanationsReport

OF_MAPS = "tokens"
CHANGES = {"shift by a cell": "shift", "flip": "flip", "scale": "scale", "noise": "noise"}


def _numbers(report: ExplanationsReport) -> Iterator[tuple[str, float]]:
    for curves in report.faithfulness:
        name = f"{curves.method}_of_another_pair" if curves.swapped else curves.method
        yield f"deletion_{name}", curves.deletion.area.mean
        yield f"insertion_{name}", curves.insertion.area.mean
    for control in report.randomisation:
        if interval := control.correlations.interval:
            yield f"random_weights_{control.method}", interval.mean
    for where in report.localisation:
        yield f"pointing_{where.of}", where.whole.peaks.mean
        yield f"mass_{where.of}", where.whole.mass.mean
    for steady in report.stability:
        for response in steady.responses:
            interval = response.followed.interval
            if response.change in CHANGES and interval is not None:
                yield f"{CHANGES[response.change]}_{steady.method}", interval.mean
    yield from _of_groups(report)


def _of_groups(report: ExplanationsReport) -> Iterator[tuple[str, float]]:
    for parts in (each for each in report.groups if each.peaks.of == OF_MAPS):
        yield "group_purity", float(parts.purity.mean())
        same, other = float(parts.same_class.mean()), float(parts.other_class.mean())
        if same == same and other == other:  # there are pairs of either kind
            yield "group_same_class", same
            yield "group_other_class", other
    for diversity in (each for each in report.diversity if each.of == OF_MAPS):
        named = {
            "group_map_cosine": diversity.map_cosine,
            "group_map_overlap": diversity.map_overlap,
            "group_vector_cosine": diversity.vector_cosine,
        }
        yield from ((name, each.mean) for name, each in named.items() if each is not None)
