"""An attribution as a page that stands alone, and as plain numbers."""

from pathlib import Path
from typing import Any

from lookalike.explanation.account.page import PAGE_SIDE
from lookalike.explanation.account.record import placed
from lookalike.explanation.account.sentences import NONE_AGAINST, SLIGHT, at
from lookalike.explanation.approximate.attribution import Attribution
from lookalike.rendering.forms import page_of, record_of, sentences_of
from lookalike.rendering.numbers import signed
from lookalike.rendering.overlays import data_uri, limit_of, overlay, ramp, scaled
from lookalike.rendering.pages import templates
from lookalike.versions import versions


@page_of.register(Attribution)
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


@record_of.register(Attribution)
def record(why: Attribution) -> dict[str, Any]:
    """Return every number of an attribution under its own name."""
    return {
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


@sentences_of.register(Attribution)
def sentences(why: Attribution) -> tuple[str, ...]:
    """Say where in either picture the score comes from, and what speaks against it most."""
    a, b = why.maps
    told = f"Carried most {at(a, 'A')} and {at(b, 'B')}."
    for_it = sum(float(maps.clip(min=0).sum()) for maps in (a, b))
    against = sum(float(maps.clip(max=0).sum()) for maps in (a, b))
    if -against <= SLIGHT * for_it:
        return told, NONE_AGAINST
    return told, f"Against it most: {at(-a, 'A')} and {at(-b, 'B')}."
