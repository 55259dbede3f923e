"""Pictures of an answer as square tiles: what the network saw, with or without a map over it."""

from PIL import Image

from lookalike.explanation.account import Array, Pictured
from lookalike.explanation.graph_cards import seen
from lookalike.explanation.overlay import overlay
from lookalike.explanation.sheet import Tile
from lookalike.preprocessing import Geometry

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
    side = square.width
    whole = Geometry(side, side, box=(0.0, 0.0, float(side), float(side)))
    return overlay(square, values, whole, limit=limit, side=side)


def broken(label: str) -> str:
    """Write a file's name so that it can be broken into lines."""
    return label.replace("/", " / ").replace("_", " ")
