"""What the numbers say of explanations, in sentences."""

from collections.abc import Iterator

from lookalike.comparison.summary import Summary, told_apart
from lookalike.comparison.themes import TOLD, Kind
from lookalike.evaluation import OverSeeds

OWN = ("exact", "shared")
"""Methods of the model's own score, each held against what others would take."""
OTHER = "grad_cam"


def explained(summary: Summary) -> list[str]:
    """Hold the exact maps of each variant against Grad-CAM's, by each measure, a sentence each."""
    return [
        f"By {kind.label}, {kind.direction}, exact maps against Grad-CAM's: {said}"
        for kind in TOLD
        if (said := _held_against(summary, kind))
    ]


def _held_against(summary: Summary, kind: Kind) -> str:
    found: dict[str, list[str]] = {}
    for name, own, other in _pairs(summary, kind.name):
        told = told_apart(own, other)
        if told is False:
            verdict = "not told apart in"
        else:
            lower = own.mean < other.mean
            better = lower if kind.best == "lowest" else not lower
            sure = "" if told else " (one seed)"
            verdict = f"{'better' if better else 'worse'}{sure} in"
        found.setdefault(verdict, []).append(f"{name} ({own.mean:.3f} against {other.mean:.3f})")
    parts = [f"{verdict} {', '.join(names)}" for verdict, names in sorted(found.items())]
    return f"{'; '.join(parts)}." if parts else ""


def _pairs(summary: Summary, kind: str) -> Iterator[tuple[str, OverSeeds, OverSeeds]]:
    """Yield each variant's own maps and Grad-CAM's, where both were measured."""
    for variant in summary.finished:
        other = variant.over_seeds(f"{kind}_{OTHER}")
        for method in OWN:
            own = variant.over_seeds(f"{kind}_{method}")
            if own is not None and other is not None:
                name = variant.name if method == OWN[0] else f"{variant.name}, {method}"
                yield name, own, other
