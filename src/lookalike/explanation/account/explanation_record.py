"""An explanation as a record."""

from collections.abc import Iterable
from typing import Any

from lookalike.explanation.account.explanation import Contribution, Explanation, Pictured
from lookalike.explanation.account.nodes import Nodes
from lookalike.explanation.account.sentences import sentences
from lookalike.rendering.forms import record_of
from lookalike.versions import versions


@record_of.register(Explanation)
def explanation_record(why: Explanation, *, regions: bool = True) -> dict[str, Any]:
    """Return every number of an explanation under its own name, arrays as nested lists.

    Args:
        why: The explanation.
        regions: Whether to include the regions, which are most of the numbers if maps are fine;
            otherwise None stands for them.
    """
    return {
        "score": why.score,
        "percentile_same": why.percentile_same,
        "percentile_different": why.percentile_different,
        "gap": why.gap,
        "sentences": list(sentences(why)),
        "groups": group_records(why.groups),
        "pictures": [_picture(why, side, shown) for side, shown in enumerate(why.pictures)],
        "regions": why.regions.tolist() if regions else None,
        "together": why.together,
        "nodes": [_level(nodes) for nodes in why.nodes],
        "node_names": list(why.node_names),
        "versions": versions(),
    }


def group_records(groups: Iterable[Contribution]) -> list[dict[str, Any]]:
    """Return each group's value, with its name and how often that name is right."""
    return [
        {"name": group.name, "value": group.value, "name_holds": group.name_holds}
        for group in groups
    ]


def _picture(why: Explanation, side: int, shown: Pictured) -> dict[str, Any]:
    return placed(shown, why.grids[side]) | {
        "maps": why.maps[side].tolist(),
        "attention": why.attention[side].tolist(),
    }


def placed(shown: Pictured, grid: tuple[int, ...]) -> dict[str, Any]:
    """Return a picture's name, and where a map of so many rows and columns lies on it."""
    return {
        "name": shown.name,
        "width": shown.geometry.width,
        "height": shown.geometry.height,
        "box": list(shown.geometry.box),
        "grid": list(grid),
    }


def _level(nodes: Nodes) -> dict[str, Any]:
    return {
        "name": nodes.name,
        "difference": nodes.difference.tolist(),
        "reliability": nodes.reliability.tolist(),
        "sensitivity": nodes.sensitivity.tolist(),
        "contribution": nodes.contribution.tolist(),
    }
