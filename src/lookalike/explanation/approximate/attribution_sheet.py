"""An attribution told, drawn, put on a page, and written as numbers."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lookalike.explanation.account.explanation_record import placed
from lookalike.explanation.account.explanation_sheet import SIDE, signed_scale
from lookalike.explanation.account.sentences import NONE_AGAINST, SLIGHT, at
from lookalike.explanation.approximate.attribution import Attribution
from lookalike.rendering.forms import figure_of, page_of, record_of, sentences_of
from lookalike.rendering.labels import broken
from lookalike.rendering.numbers import number, signed, tiny
from lookalike.rendering.overlays import limit_of, overlay, scaled
from lookalike.rendering.sheet_figure import draw_sheet
from lookalike.rendering.sheet_page import sheet_page
from lookalike.rendering.sheets import Sheet, SheetRow, Tile
from lookalike.versions import versions

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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


def attribution_sheet(why: Attribution) -> Sheet:
    """Return an attribution as a sheet: each picture beside its map."""
    limit = limit_of(*why.maps)
    rows, columns = why.maps[0].shape
    gap = "" if why.gap is None else f"; completeness gap {tiny(why.gap)}"
    return Sheet(
        title=f"Why are A and B alike? Similarity {number(why.score)}",
        rows=(SheetRow("", tuple(_tiles(why, limit=limit))),),
        scale=signed_scale(limit),
        sentences=sentences(why),
        note=f"approximation by {why.made_by}{gap}",
        notes=(
            *dict.fromkeys(f"{why.caption(side)}." for side in (0, 1)),
            f"Colours: value per map cell ({rows} × {columns} cells). Hatched: not seen by the "
            "network.",
            "While one picture is explained, the other one is unchanged. An approximation depends "
            "on its method, and many methods on what they take for a picture without content.",
        ),
    )


def _tiles(why: Attribution, *, limit: float) -> Iterator[Tile]:
    sides = zip("AB", why.pictures, why.maps, why.sums, strict=True)
    for letter, shown, values, total in sides:
        yield Tile(scaled(shown.picture, SIDE), letter, broken(shown.label))
        drawn = overlay(shown.picture, values, shown.geometry, limit=limit, side=SIDE)
        yield Tile(drawn, f"map of {letter}, {signed(total)}")


@figure_of.register(Attribution)
def attribution_figure(why: Attribution) -> "Figure":
    """Draw an attribution."""
    return draw_sheet(attribution_sheet(why))


@page_of.register(Attribution)
def attribution_page(why: Attribution) -> str:
    """Return a page that refers to nothing outside it."""
    return sheet_page([attribution_sheet(why)], record=attribution_record(why), name="attribution")


@record_of.register(Attribution)
def attribution_record(why: Attribution) -> dict[str, Any]:
    """Return every number of an attribution under its own name."""
    return {
        "score": why.score,
        "exact": False,
        "method": why.method,
        "steps": why.steps,
        "baseline": why.baseline,
        "gap": why.gap,
        "sentences": list(sentences(why)),
        "pictures": [
            placed(shown, values.shape) | {"map": values.tolist(), "at_baseline": start, "gap": gap}
            for shown, values, start, gap in zip(
                why.pictures,
                why.maps,
                why.at_baseline or (None, None),
                why.gaps or (None, None),
                strict=True,
            )
        ],
        "versions": versions(),
    }
