"""Square tiles of an answer: what the network saw of a picture, with or without a map over it."""

import numpy as np
import numpy.typing as npt
from PIL import Image

from lookalike.explanation.account.explanation import Array, Pictured
from lookalike.rendering.labels import broken
from lookalike.rendering.overlays import all_of, overlay
from lookalike.rendering.sheets import Tile

SIDE = 320
"""Of a tile, pixels."""
REACH = 2
"""How far the line around cells reaches to either side of their edge, pixels."""


def picture_tile(shown: Pictured, number: str = "", *, words: str | None = None) -> Tile:
    """Show what the network saw of a picture.

    Args:
        shown: The picture.
        number: Beneath it, in black.
        words: Beneath the number; its file if None.
    """
    return Tile(shown.seen(SIDE), number, broken(shown.label) if words is None else words)


def map_tile(
    shown: Pictured, values: Array, number: str = "", *, limit: float, words: str = ""
) -> Tile:
    """Show a map over what the network saw of a picture.

    Args:
        shown: The picture.
        values: Height × width, in score units.
        number: Beneath it, in black.
        limit: The value with the strongest colour.
        words: Beneath the number.
    """
    square = shown.seen(SIDE)
    return Tile(overlay(square, values, all_of(square), limit=limit, side=SIDE), number, words)


def outlined(picture: Image.Image, cells: npt.NDArray[np.bool_]) -> Image.Image:
    """Draw a black line between the chosen cells of a picture and the others.

    Args:
        picture: What is drawn on a copy of.
        cells: Height × width: which cells are chosen. Each neighbour that is not chosen, or is
            outside the picture, has a line on its side.
    """
    height, width = cells.shape
    down = np.arange(picture.height) * height // picture.height
    across = np.arange(picture.width) * width // picture.width
    chosen = cells[down][:, across]
    window = (2 * REACH + 1, 2 * REACH + 1)
    near = np.lib.stride_tricks.sliding_window_view(np.pad(chosen, REACH), window)
    edge = near.any(axis=(2, 3)) & ~near.all(axis=(2, 3))
    pixels = np.array(picture.convert("RGB"))
    pixels[edge] = 0
    return Image.fromarray(pixels)
