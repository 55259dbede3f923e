"""An attribution as a page that stands alone, and as plain numbers."""

import json
from pathlib import Path

from lookalike.explanation.account.page import PAGE_SIDE
from lookalike.explanation.account.record import placed
from lookalike.explanation.approximate.attribution import Attribution
from lookalike.rendering.numbers import signed
from lookalike.rendering.overlays import data_uri, limit_of, overlay, ramp, scaled
from lookalike.rendering.pages import templates
from lookalike.versions import versions


def to_html(why: Attribution) -> str:
    """Return a page with no reference to anything outside it."""
    limit = limit_of(*why.maps)
    here = templates(Path(__file__).parent / "templates")
    here.filters["signed"] = signed
    return here.get_template("attribution.html").render(
        why=why,
        limit=limit,
        sides=[
            (
                shown,
                data_uri(scaled(shown.picture, PAGE_SIDE)),
                data_uri(
                    overlay(shown.picture, values, shown.geometry, limit=limit, side=PAGE_SIDE)
                ),
            )
            for shown, values in zip(why.pictures, why.maps, strict=True)
        ],
        ramp=ramp(41).tolist(),
    )


def to_json(why: Attribution) -> str:
    """Return an attribution as one JSON object."""
    record = {
        "score": why.score,
        "exact": False,
        "method": "integrated_gradients",
        "steps": why.steps,
        "baseline": why.baseline,
        "gap": why.gap,
        "sentences": list(why.sentences),
        "pictures": [
            placed(shown, values.shape) | {"map": values.tolist(), "at_baseline": start, "gap": gap}
            for shown, values, start, gap in zip(
                why.pictures, why.maps, why.at_baseline, why.gaps, strict=True
            )
        ],
        "versions": versions(),
    }
    return json.dumps(record, allow_nan=False)
