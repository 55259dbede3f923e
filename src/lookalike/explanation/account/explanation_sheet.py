"""An explanation as a sheet: A above B, the whole score first, then group by group."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lookalike.explanation.account.explanation import Array, Explanation
from lookalike.explanation.account.sentences import sentences
from lookalike.rendering.forms import figure_of
from lookalike.rendering.labels import broken
from lookalike.rendering.numbers import number, signed, tiny
from lookalike.rendering.overlays import limit_of, overlay, scaled
from lookalike.rendering.sheet_figure import draw_sheet
from lookalike.rendering.sheets import ColourScale, Sheet, SheetColumn, SheetRow, Tile

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = 7
"""Pictures side by side at most; more groups go on below."""
SIDE = 340
"""Longer side of a picture, pixels."""


@dataclass(frozen=True, slots=True)
class MapPanel:
    """The whole score, or a group, with its maps.

    Args:
        name: What its maps show.
        value: What either map sums to, in score units; both together where they show what differs.
        maps: Over A and over B, height × width each.
    """

    name: str
    value: float
    maps: tuple[Array, Array]


def map_panels(why: Explanation) -> list[MapPanel]:
    """List the whole score, then each group; a group that is alone is the whole score."""
    a, b = why.maps
    whole = MapPanel("whole score", why.score, (a.sum(axis=0), b.sum(axis=0)))
    if len(why.groups) == 1:
        return [whole]
    return [whole] + [
        MapPanel(group.name, group.value, (a[i], b[i])) for i, group in enumerate(why.groups)
    ]


def limit_of_panels(panels: list[MapPanel]) -> float:
    """Return the value with the strongest colour, one for all panels so that they compare."""
    return limit_of(*(values for panel in panels for values in panel.maps))


@figure_of.register(Explanation)
def draw(why: Explanation, *, letters: str = "AB") -> "Figure":
    """Draw an explanation.

    Args:
        why: The explanation.
        letters: What its two pictures are called.
    """
    return draw_sheet(explanation_sheet(why, letters=letters))


def explanation_sheet(why: Explanation, *, letters: str = "AB") -> Sheet:
    """Return an explanation as a sheet; `letters` are what its two pictures are called."""
    panels = map_panels(why)
    limit = limit_of_panels(panels)
    most = "" if not why.together else ", where 0 is the most"
    rows, columns = why.grids[0]
    return Sheet(
        title=f"Why are {letters[0]} and {letters[1]} alike? Similarity {number(why.score)}{most}",
        rows=_rows(why, panels, limit=limit, letters=letters),
        scale=signed_scale(limit),
        sentences=sentences(why, letters=letters),
        note=_note(why),
        notes=(
            f"Colours: score per map cell ({rows} × {columns} cells), one scale for all maps. "
            "Hatched: not seen by the network.",
        ),
    )


def signed_scale(limit: float) -> ColourScale:
    """Return the colour scale of maps in score units, with the values of its ends."""
    end = f"{limit:.2g}"
    return ColourScale(f"speaks against, −{end}", f"+{end}, speaks for alike")


def _note(why: Explanation) -> str:
    note = f"parts add up to the score within {tiny(why.gap)}"
    if why.together:
        note = f"each number is the sum of its two maps; {note}"
    return note if why.meaning is None else f"{why.meaning}; {note}"


def _rows(
    why: Explanation, panels: list[MapPanel], *, limit: float, letters: str
) -> tuple[SheetRow, ...]:
    """Return two rows for every seven columns: the picture itself, then the panels."""
    pictures = [[Tile(scaled(shown.picture, SIDE))] for shown in why.pictures]
    for shown, tiles, side in zip(why.pictures, pictures, (0, 1), strict=True):
        drawn = (
            overlay(shown.picture, panel.maps[side], shown.geometry, limit=limit, side=SIDE)
            for panel in panels
        )
        tiles += map(Tile, drawn)
    heads = [SheetColumn(""), *(SheetColumn(p.name, signed(p.value)) for p in panels)]
    rows = []
    for start in range(0, len(heads), COLUMNS):
        places = range(len(heads))[start : start + COLUMNS]
        for side, letter in enumerate(letters):
            rows.append(
                SheetRow(
                    letter,
                    tuple(pictures[side][place] for place in places),
                    notes=(broken(why.pictures[side].label),),
                    columns=tuple(heads[place] for place in places) if side == 0 else (),
                )
            )
    return tuple(rows)
