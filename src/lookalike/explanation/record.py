"""An explanation as plain numbers."""

import json
from importlib.metadata import version
from typing import Any

import torch

from lookalike.explanation.account import Explanation, Pictured


def record(why: Explanation) -> dict[str, Any]:
    """Return every number of an explanation under its own name, arrays as nested lists."""
    return {
        "score": why.score,
        "percentile_same": why.percentile_same,
        "percentile_different": why.percentile_different,
        "gap": why.gap,
        "groups": [{"name": group.name, "value": group.value} for group in why.groups],
        "pictures": [_picture(why, side, shown) for side, shown in enumerate(why.pictures)],
        "regions": why.regions.tolist(),
        "versions": {"lookalike": version("lookalike"), "torch": torch.__version__},
    }


def _picture(why: Explanation, side: int, shown: Pictured) -> dict[str, Any]:
    return {
        "name": shown.name,
        "width": shown.geometry.width,
        "height": shown.geometry.height,
        "box": list(shown.geometry.box),
        "grid": list(why.grids[side]),
        "maps": why.maps[side].tolist(),
        "attention": why.attention[side].tolist(),
    }


def to_json(why: Explanation) -> str:
    """Return an explanation as one JSON object; `regions` is positions of A × positions of B."""
    return json.dumps(record(why), allow_nan=False)
