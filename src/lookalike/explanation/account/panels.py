"""What a figure or a page shows of an explanation, and the scale that all of it shares."""

from dataclasses import dataclass

from lookalike.explanation.account.explanation import Array, Explanation
from lookalike.rendering.overlays import limit_of


@dataclass(frozen=True, slots=True)
class Panel:
    """One thing to look at: the whole score, or a group.

    Args:
        name: What its maps show.
        value: What either map sums to, in score units; both together where they show what differs.
        maps: Over A and over B, height × width each.
    """

    name: str
    value: float
    maps: tuple[Array, Array]


def panels(why: Explanation) -> list[Panel]:
    """List the whole score, then each group; a group that is alone is the whole score."""
    a, b = why.maps
    whole = Panel("whole score", why.score, (a.sum(axis=0), b.sum(axis=0)))
    if len(why.groups) == 1:
        return [whole]
    return [whole] + [
        Panel(group.name, group.value, (a[i], b[i])) for i, group in enumerate(why.groups)
    ]


def scale_of(shown: list[Panel]) -> float:
    """Return the value with the strongest colour, one for all panels so that they compare."""
    return limit_of(*(values for panel in shown for values in panel.maps))
