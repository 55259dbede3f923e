"""Pictures of an answer as square tiles: what the network saw, with or without a map over it."""

from PIL import Image

from lookalike.explanation.account.explanation import Array, Pictured
from lookalike.explanation.graph.cards import seen
from lookalike.rendering.labels import broken
from lookalike.rendering.overlays import all_of, overlay
from lookalike.rendering.sheets import Tile

SIDE = 320
"""Of a tile, pixels."""


def picture_tile(shown: Pictured, number: str = "", *, words: str | None = None) -> Tile:
    """Show what the network saw of a picture.

    Args:
        shown: The picture.
        number: Beneath it, in black.
        words: Beneath the number; its file if None.
    """
    return Tile(seen(shown, SIDE), number, broken(shown.label) if words is None else words)


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
    return Tile(mapped(seen(shown, SIDE), values, limit=limit), number, words)


def mapped(square: Image.Image, values: Array, *, limit: float) -> Image.Image:
    """Draw a map over a square picture that the network saw all of."""
    return overlay(square, values, all_of(square), limit=limit, side=square.width)
