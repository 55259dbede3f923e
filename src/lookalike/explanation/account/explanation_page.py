"""An explanation as a page, with the region-to-region view, and as a figure for other pages."""

from dataclasses import dataclass
from pathlib import Path

from lookalike.explanation.account.explanation import Explanation
from lookalike.explanation.account.explanation_record import explanation_record
from lookalike.explanation.account.explanation_sheet import MapPanel, limit_of_panels, map_panels
from lookalike.preprocessing import Geometry
from lookalike.rendering.forms import fragment_of, page_of
from lookalike.rendering.overlays import SIDE, data_uri, overlay, scaled
from lookalike.rendering.pages import templates
from lookalike.rendering.sheets import BarPlace, bar_places

TEMPLATES = Path(__file__).parent / "templates"
PAGE_SIDE = 480
"""Longer side of the pictures on a page, pixels."""
MOST_NUMBERS = 250_000
"""Pairs of cells that a page still carries; maps with more are for `Explanation.matches`."""


@dataclass(frozen=True, slots=True)
class MapCell:
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
def explanation_page(why: Explanation) -> str:
    """Return a page that refers to nothing outside it, with the region-to-region view."""
    panels = map_panels(why)
    limit = limit_of_panels(panels)
    by_region = why.regions.size <= MOST_NUMBERS
    page = templates(TEMPLATES).get_template("explanation.html")
    return page.render(
        why=why,
        panels=[
            (panel, place, _overlays(why, panel, limit=limit, side=PAGE_SIDE))
            for panel, place in zip(panels, [None, *_bar_places(panels[1:])], strict=True)
        ],
        limit=limit,
        pictures=[data_uri(scaled(picture.picture, PAGE_SIDE)) for picture in why.pictures],
        cells=_cells(why) if by_region else None,
        record=explanation_record(why, regions=by_region),
    )


@fragment_of.register(Explanation)
def explanation_fragment(why: Explanation) -> str:
    """Return a `figure` element without scripts: both pictures, and the contributions."""
    whole, *groups = map_panels(why)
    fragment = templates(TEMPLATES).get_template("fragment.html")
    return fragment.render(
        why=why,
        overlays=_overlays(why, whole, limit=limit_of_panels([whole]), side=SIDE),
        groups=list(zip(groups, _bar_places(groups), strict=True)),
    )


def _bar_places(groups: list[MapPanel]) -> list[BarPlace]:
    return bar_places([group.value for group in groups])


def _overlays(why: Explanation, panel: MapPanel, *, limit: float, side: int) -> list[str]:
    return [
        data_uri(overlay(shown.picture, values, shown.geometry, limit=limit, side=side))
        for shown, values in zip(why.pictures, panel.maps, strict=True)
    ]


def _cells(why: Explanation) -> list[list[MapCell]]:
    return [
        [
            _cell(shown.geometry, row, column, grid)
            for row in range(grid[0])
            for column in range(grid[1])
        ]
        for shown, grid in zip(why.pictures, why.grids, strict=True)
    ]


def _cell(geometry: Geometry, row: int, column: int, grid: tuple[int, int]) -> MapCell:
    left, top, right, bottom = geometry.cell(row, column, grid)
    return MapCell(row, column, left, top, right - left, bottom - top)
