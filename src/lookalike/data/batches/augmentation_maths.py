"""The arithmetic of augmentation: random numbers, boxes, and one matrix each for place and colour.

Here a box is left, top, right, bottom in pixels, and "chances" are random numbers in [0, 1).
"""

from collections.abc import Sequence
from enum import IntEnum
from math import exp, log
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from jaxtyping import Float32, Float64

from lookalike.data.catalog.entries import Box

Numbers = TypeVar("Numbers", float, npt.NDArray[np.float64])
Floats = npt.NDArray[np.float64]
Chances = Float64[npt.NDArray[Any], "n slots"]

# RGB to brightness and two colour axes (YIQ); a change of hue turns the two.
_LUMA = np.array([0.2989, 0.587, 0.114])
_YIQ = np.array([_LUMA / _LUMA.sum(), [0.5959, -0.2746, -0.3213], [0.2115, -0.5227, 0.3112]])
_YIQ[1:] -= _YIQ[1:].mean(axis=1, keepdims=True)  # so that grey has no colour, exactly
_RGB = np.linalg.inv(_YIQ)


Slot = IntEnum(
    "Slot",
    "CROP_AREA CROP_RATIO CROP_X CROP_Y FLIP ANGLE MOVE_X MOVE_Y SCALE BRIGHTNESS CONTRAST "
    "SATURATION HUE ERASE ERASE_AREA ERASE_X ERASE_Y POLICY",
    start=0,
)
"""What each of a picture's random numbers decides; the order fixes the numbers that are drawn."""


def chances(rows: Sequence[int], *, seed: int, epoch: int) -> Chances:
    """Draw every random number that the pictures of a batch need.

    The numbers depend on the seed, the epoch and the row alone. A row that is in the batch more
    than once gets other numbers each time.

    >>> one, two = chances([7, 8], seed=0, epoch=3), chances([8, 8], seed=0, epoch=3)
    >>> bool((one[1] == two[0]).all()), bool((two[0] == two[1]).any())
    (True, False)
    """
    seen: dict[int, int] = {}
    drawn = np.empty((len(rows), len(Slot)))
    for i, row in enumerate(rows):
        seen[row] = seen.get(row, -1) + 1
        # The lowest word of the counter is the generator's own.
        stream = np.random.Philox(key=seed, counter=[0, seen[row], row, epoch])
        drawn[i] = np.random.Generator(stream).random(len(Slot))
    return drawn


def between(chance: Numbers, low: float, high: float) -> Numbers:
    """Stretch chances from [0, 1) to [low, high)."""
    return low + (high - low) * chance


def moved_box(box: Box, within: Box, chance: Floats) -> Box:
    """Move a box to a random place within another box, or around it if it is larger."""
    width, height = box[2] - box[0], box[3] - box[1]
    x = between(float(chance[Slot.CROP_X]), within[0], within[2] - width)
    y = between(float(chance[Slot.CROP_Y]), within[1], within[3] - height)
    return x, y, x + width, y + height


def random_box(
    width: int,
    height: int,
    chance: Floats,
    *,
    area: tuple[float, float],
    ratio: tuple[float, float],
) -> Box:
    """Return a box with a random share of the picture's area and a random width / height.

    A side that would be longer than the picture's is shortened to it.
    """
    pixels = width * height * between(float(chance[Slot.CROP_AREA]), *area)
    wide = exp(between(float(chance[Slot.CROP_RATIO]), log(ratio[0]), log(ratio[1])))
    w = min(float(width), (pixels * wide) ** 0.5)
    h = min(float(height), (pixels / wide) ** 0.5)
    x = float(chance[Slot.CROP_X]) * (width - w)
    y = float(chance[Slot.CROP_Y]) * (height - h)
    return x, y, x + w, y + h


def affine_matrices(
    *,
    mirrored: npt.NDArray[np.bool_],
    degrees: Floats,
    scale: Floats,
    move_x: Floats,
    move_y: Floats,
) -> Float32[npt.NDArray[Any], "n 2 3"]:
    """Return the matrices from each output position to the input position it is read from.

    Positions run from −1 to 1. The picture is mirrored if asked, turned clockwise by `degrees`
    about its centre, enlarged by `scale`, then moved by shares of its side to the right and down.
    """
    angle = np.deg2rad(degrees)
    cos, sin = np.cos(angle) / scale, np.sin(angle) / scale
    turn = np.stack([np.stack([cos, sin], -1), np.stack([-sin, cos], -1)], -2)
    turn[:, 0] *= np.where(mirrored, -1.0, 1.0)[:, None]
    shift = -turn @ (2 * np.stack([move_x, move_y], -1))[..., None]
    matrix: npt.NDArray[np.float32] = np.concatenate([turn, shift], -1).astype(np.float32)
    return matrix


def sampling_grid(
    matrices: Float32[npt.NDArray[Any], "n 2 3"], side: int
) -> Float32[npt.NDArray[Any], "n side side 2"]:
    """Apply the matrices to the centres of a side×side grid of pixels."""
    centres = ((np.arange(side) * 2 + 1) / side - 1).astype(np.float32)
    grid = np.empty((len(matrices), side, side, 2), np.float32)
    for axis in (0, 1):
        along_x = matrices[:, axis, 0, None] * centres
        along_y = matrices[:, axis, 1, None] * centres + matrices[:, axis, 2, None]
        np.add(along_x[:, None, :], along_y[:, :, None], out=grid[..., axis])
    return grid


def colour_matrices(
    *,
    brightness: Floats,
    contrast: Floats,
    saturation: Floats,
    turns: Floats,
    mean_rgb: npt.NDArray[Any],
) -> tuple[Float64[npt.NDArray[Any], "n 3 3"], Float64[npt.NDArray[Any], "n 3 1"]]:
    """Return four changes of colour as one matrix and one offset for each picture.

    In this order: multiply by `brightness`; stretch by `contrast` about the picture's mean grey;
    stretch by `saturation` about each pixel's own grey; turn the hue, which keeps each pixel's
    brightness. Values are not clipped in between.

    Args:
        brightness: Factors; 1 changes nothing.
        contrast: Factors.
        saturation: Factors.
        turns: Shares of the colour circle; 0 changes nothing.
        mean_rgb: Each picture's mean colour, n×3.
    """
    angle = 2 * np.pi * turns
    turn = np.zeros((len(turns), 3, 3))
    turn[:, 0, 0] = 1
    turn[:, 1, 1] = turn[:, 2, 2] = np.cos(angle)
    turn[:, 1, 2], turn[:, 2, 1] = -np.sin(angle), np.sin(angle)
    # In these axes saturation is a factor on the two colour axes.
    turn[:, :, 1:] *= saturation[:, None, None]
    matrix = _RGB @ turn @ _YIQ * (brightness * contrast)[:, None, None]
    grey = mean_rgb @ _YIQ[0]
    offset = np.broadcast_to(((1 - contrast) * brightness * grey)[:, None, None], (len(grey), 3, 1))
    return matrix, offset
