"""What would change a score, told and drawn."""

from typing import Any

import numpy.typing as npt
from PIL import Image, ImageDraw

from lookalike.explanation.overlay import limit_of
from lookalike.explanation.questions.change import Change, State
from lookalike.explanation.questions.story import Story
from lookalike.explanation.questions.tiles import SIDE, map_tile, picture_tile
from lookalike.explanation.questions.wording import counted, score, scored
from lookalike.explanation.sheet import Row, Tile

FILLS = {"blur": "blurred", "mean": "painted in the picture's mean colour"}
EDGE = 3
"""Width of the line around hidden cells, pixels."""


def story(change: Change) -> Story:
    """Say what was hidden and what came of it, or that hiding does not do it."""
    return Story(
        question="What would change it?",
        sentences=(*_verdict(change), scored(change.why, "B")),
        notes=_notes(change),
    )


def _verdict(change: Change) -> tuple[str, ...]:
    before, after = change.before, change.after
    if before.reached:
        return (f"Nothing needs to change: {change.subject} is already {change.goal}.",)
    total = change.hidden.size
    if not change.reached:
        return (
            f"Hiding parts of A did not bring {change.subject} {change.goal}.",
            f"The nearest to it was {_now(after)}, with {change.cells} of {total} cells hidden.",
        )
    those = "this" if change.cells == 1 else "these"
    share = 100 * change.cells / total
    return (
        f"Hide {those} {counted(change.cells, 'cell')} of A, {share:.0f} % of the picture, and "
        f"{change.subject} falls {change.goal}.",
        f"Before: {_now(before)}. After: {_now(after)}, checked anew.",
    )


def _now(state: State) -> str:
    place = "" if state.rank is None else f", B at rank {state.rank}"
    return f"similarity {score(state.score)}{place}"


def _notes(change: Change) -> tuple[str, ...]:
    height, width = change.hidden.shape
    how = (
        f"Hidden cells, of {height} × {width}, are {FILLS[change.fill]}. They were found by hiding "
        "one cell after the other, of the highest on the exact map the one that helps most"
    )
    if change.reached and not change.before.reached:
        how += ", and by showing again those that were not needed"
    limits = "That no smaller set of cells does it is not proven"
    if not change.reached:
        limits = "That no set of cells does it is not proven"
    tried = f"{counted(change.tried, 'version')} of A scored, and the final one once more, alone"
    return (f"{how}; {tried}. {limits}.",)


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
