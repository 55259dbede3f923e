"""The explanation as a page that stands alone, and as a figure for other pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.explanation.account.explanation import Explanation
from lookalike.explanation.account.panels import Panel, panels, scale_of
from lookalike.explanation.account.record import record
from lookalike.preprocessing import Geometry
from lookalike.rendering.forms import fragment_of, page_of, to_json
from lookalike.rendering.numbers import signed
from lookalike.rendering.overlays import (
    AGAINST,
    BEND,
    FOR,
    OPACITY,
    SIDE,
    data_uri,
    overlay,
    ramp,
    scaled,
)
from lookalike.rendering.pages import templates

if TYPE_CHECKING:
    from jinja2 import Template

PAGE_SIDE = 480
"""Longer side of the pictures on a page, pixels."""
MOST_NUMBERS = 250_000
"""Pairs of cells that a page still carries; maps with more are for `Explanation.matches`."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One row of the chart of contributions.

    Args:
        start: Where it begins, percent of the chart's width.
        length: Percent of the chart's width.
    """

    start: float
    length: float


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a map, where it lies on the picture.

    Args:
        row: Counted from 0.
        column: Counted from 0.
        x: Left edge in the original's pixels.
        y: Top edge.
        width: In the original's pixels.
        height: In the original's pixels.
    """

    row: int
    column: int
    x: float
    y: float
    width: float
    height: float


@page_of.register(Explanation)
def to_html(why: Explanation) -> str:
    """Return a page with no reference to anything outside it."""
    shown = panels(why)
    limit = scale_of(shown)
    by_region = why.regions.size <= MOST_NUMBERS
    page = _template("page.html")
    return page.render(
        why=why,
        rows=[
            (panel, bar, _overlays(why, panel, limit=limit, side=PAGE_SIDE))
            for panel, bar in zip(shown, [None, *_bars(shown[1:])], strict=True)
        ],
        limit=limit,
        pictures=[data_uri(scaled(picture.picture, PAGE_SIDE)) for picture in why.pictures],
        cells=_cells(why) if by_region else None,
        record=for_script(to_json(record(why, regions=by_region))),
        ramp=ramp(41).tolist(),
        scale={"for": FOR, "against": AGAINST, "bend": BEND, "opacity": OPACITY},
    )


@fragment_of.register(Explanation)
def to_fragment(why: Explanation) -> str:
    """Return a `figure` element whose styles are its own: both pictures, and the contributions."""
    whole, *groups = panels(why)
    fragment = _template("fragment.html")
    return fragment.render(
        why=why,
        overlays=_overlays(why, whole, limit=scale_of([whole]), side=SIDE),
        rows=list(zip(groups, _bars(groups), strict=True)),
    )


def _template(name: str) -> "Template":
    here = templates(Path(__file__).parent / "templates")
    here.filters["signed"] = signed
    return here.get_template(name)


def _bars(groups: list[Panel]) -> list[Bar]:
    return bars_of([group.value for group in groups])


def bars_of(values: Sequence[float]) -> list[Bar]:
    """Lay out a chart of contributions, zero at the same place in every row."""
    low, high = min((0.0, *values)), max((0.0, *values))
    unit = 100 / ((high - low) or 1.0)
    return [Bar((min(value, 0) - low) * unit, abs(value) * unit) for value in values]


def _overlays(why: Explanation, panel: Panel, *, limit: float, side: int) -> list[str]:
    return [
        data_uri(overlay(shown.picture, values, shown.geometry, limit=limit, side=side))
        for shown, values in zip(why.pictures, panel.maps, strict=True)
    ]


def _cells(why: Explanation) -> list[list[Cell]]:
    return [
        [
            _cell(shown.geometry, row, column, grid)
            for row in range(grid[0])
            for column in range(grid[1])
        ]
        for shown, grid in zip(why.pictures, why.grids, strict=True)
    ]


def _cell(geometry: Geometry, row: int, column: int, grid: tuple[int, int]) -> Cell:
    left, top, right, bottom = geometry.cell(row, column, grid)
    return Cell(row, column, left, top, right - left, bottom - top)


def for_script(text: str) -> str:
    """Write JSON so that no name in it can end the script element that holds it."""
    from markupsafe import Markup

    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))
