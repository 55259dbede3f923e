"""What would change a score, told and drawn."""

from typing import Any

import numpy.typing as npt
from PIL import Image, ImageDraw

from lookalike.explanation.account.sentences import how_names_hold
from lookalike.explanation.questions.change import Change, State
from lookalike.explanation.questions.story import Story
from lookalike.explanation.questions.tiles import SIDE, map_tile, picture_tile
from lookalike.explanation.questions.wording import at_most, scored
from lookalike.rendering.numbers import counted, score
from lookalike.rendering.overlays import limit_of
from lookalike.rendering.sheets import Row, Tile

FILLS = {"blur": "blurred", "mean": "painted in the picture's mean colour"}
EDGE = 3
"""Width of the line around hidden cells, pixels."""


def story(change: Change) -> Story:
    """Say what was hidden and what came of it, or that hiding does not do it."""
    part = "level" if change.why.nodes else "group"
    moved = change.cells > 0
    return Story(
        question="What would change it?",
        sentences=(*_verdict(change), *_fewest(change), *_standing(change)),
        bars=change.groups if moved else change.why.groups,
        measured=f"What hiding changes in each {part}" if moved else f"What each {part} gives",
        notes=(*_notes(change), *how_names_hold(change.why.groups)),
    )


def _verdict(change: Change) -> tuple[str, ...]:
    after = change.after
    if change.before.reached:
        return (f"Nothing needs to change: {change.subject} is already {change.goal}.",)
    total = change.hidden.size
    if not change.reached:
        hidden = f"{change.cells} of {total} cells hidden"
        return (
            f"Hiding parts of A did not bring {change.subject} {change.goal}.",
            f"The nearest to it was with {hidden}: similarity {score(after.score)}.",
        )
    those = "this" if change.cells == 1 else "these"
    share = 100 * change.cells / total
    return (
        f"Hide {those} {counted(change.cells, 'cell')} of A, {share:.0f} % of the picture, and "
        f"{change.subject} falls {change.goal}.",
    )


def _fewest(change: Change) -> tuple[str, ...]:
    """Say whether fewer cells could do it, as far as is known."""
    if not change.reached or not change.cells:
        return ()
    if change.cells == 1:
        return ("Fewer cannot do it: one cell is the least.",)
    if change.smallest:
        return (f"Fewer cannot do it: {_all_sets(change.ruled_out)} tried.",)
    if not change.ruled_out:
        return ("Whether fewer would do it is not known.",)
    first, last = change.ruled_out + 1, change.cells - 1
    open_still = f"any {first}" if first == last else f"any {first} to {last}"
    return (
        f"{_all_sets(change.ruled_out).capitalize()} tried, and none does it; whether "
        f"{open_still} cells would is not known.",
    )


def _all_sets(size: int) -> str:
    return "every single cell was" if size == 1 else f"all sets of up to {size} cells were"


def _standing(change: Change) -> tuple[str, ...]:
    """Say what A and B score before and after, and what that means."""
    now = scored(change.why, "B")
    if not change.cells:
        return (now,)
    most = at_most(change.why)
    return tuple(
        f"{when}: similarity {score(state.score)}{most}{_place(state)}{_meaning(state)}."
        for when, state in (("Before", change.before), ("After", change.after))
    )


def _meaning(state: State) -> str:
    return "" if state.meaning is None else f", {state.meaning}"


def _place(state: State) -> str:
    return "" if state.rank is None else f", rank {state.rank}"


def _notes(change: Change) -> tuple[str, ...]:
    height, width = change.hidden.shape
    if change.before.reached:
        return ()
    kind = "the map of what both have" if change.why.together else "the exact map"
    how = (
        f"Hidden cells, of {height} × {width}, are {FILLS[change.fill]}. First a greedy search "
        f"hides one cell after the other, of the highest on {kind} the one that helps most"
    )
    if change.reached:
        how += ", and shows again those that are not needed"
    if change.ruled_out or change.smallest:
        how += "; then every smaller set is tried, as far as the budget covers all of a size"
    tried = f"{counted(change.tried, 'version')} of A scored, and the final one once more, alone"
    if not change.reached:
        every = change.ruled_out == change.hidden.size
        limits = (
            "No set of cells does it" if every else "That no set of cells does it is not proven"
        )
        return (f"{how}. {tried}. {limits}.",)
    return (f"{how}. {tried}.",)


def rows(change: Change) -> tuple[Row, ...]:
    """Show A and its map, A with cells hidden, and B."""
    a, b = change.why.pictures
    over_a = change.why.maps[0].sum(axis=0)
    masked = outlined(change.masked.resize((SIDE, SIDE)), change.hidden)
    hidden = f"{change.cells} of {change.hidden.size} cells hidden"
    return (
        Row(
            "",
            (
                picture_tile(a, f"A: {_short(change.before)}"),
                map_tile(a, over_a, limit=limit_of(over_a), words="where in A it comes from"),
                Tile(masked, f"A changed: {_short(change.after)}", hidden),
                picture_tile(b, "B"),
            ),
        ),
    )


def _short(state: State) -> str:
    place = "" if state.rank is None else f", rank {state.rank}"
    return f"{score(state.score)}{place}"


def outlined(picture: Image.Image, hidden: npt.NDArray[Any]) -> Image.Image:
    """Draw a line around the cells that are hidden."""
    drawn = picture.convert("RGB")
    draw = ImageDraw.Draw(drawn)
    height, width = hidden.shape
    for row in range(height):
        for column in range(width):
            if hidden[row, column]:
                _edges(draw, hidden, (row, column), drawn.size)
    return drawn


def _edges(
    draw: ImageDraw.ImageDraw,
    hidden: npt.NDArray[Any],
    cell: tuple[int, int],
    size: tuple[int, int],
) -> None:
    """Draw the sides of a hidden cell that have a cell beside them that is shown."""
    (row, column), (height, width) = cell, hidden.shape
    left, right = column * size[0] // width, (column + 1) * size[0] // width
    top, bottom = row * size[1] // height, (row + 1) * size[1] // height
    sides = {
        (row - 1, column): (left, top, right, top),
        (row + 1, column): (left, bottom, right, bottom),
        (row, column - 1): (left, top, left, bottom),
        (row, column + 1): (right, top, right, bottom),
    }
    for (y, x), line in sides.items():
        inside = 0 <= y < height and 0 <= x < width
        if not inside or not hidden[y, x]:
            draw.line(line, fill="black", width=EDGE)
