"""Whether a group's maps follow a shifted object (Xu et al. 2020, figure 2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from PIL import Image

from lookalike.data import normalise
from lookalike.errors import UsageError
from lookalike.explanation.groups.maps import group_maps
from lookalike.explanation.groups.peaks import peak_cell
from lookalike.explanation.groups.subject import frame
from lookalike.model import Model
from lookalike.rendering.overlays import Array

Along = Literal["across", "down"]


@dataclass(frozen=True, slots=True)
class LinearFit:
    """The least-squares line of a place on the map over the place of the object.

    Args:
        slope: Pixels that it moves for each pixel that the object moves: 1 follows exactly, 0
            does not move.
        correlation: Pearson's r, in [−1, 1]; None if it does not move at all.
    """

    slope: float
    correlation: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Shift:
    """One object at several places of the input, and where the groups look each time.

    Args:
        along: "across" moves it from the left edge to the right, "down" from top to bottom.
        frames: The network's inputs, as pictures.
        offsets: Of the object's near edge, pixels of the input.
        maps: Places × groups × height × width; each sums to one.
    """

    along: Along
    frames: tuple[Image.Image, ...]
    offsets: Array
    maps: Array

    @property
    def centres(self) -> Array:
        """Where each map's centre of mass is along the way, places × groups, pixels."""
        along_map = self.maps.sum(axis=2 if self.along == "across" else 3)
        centres: Array = along_map @ self._positions()
        return centres

    @property
    def peaks(self) -> Array:
        """Where each map's peak is along the way, places × groups, pixels."""
        axis = 1 if self.along == "across" else 0
        cells = [[peak_cell(values)[axis] for values in place] for place in self.maps]
        peaks: Array = self._positions()[np.array(cells)]
        return peaks

    def _positions(self) -> Array:
        size = self.frames[0].width
        cells = self.maps.shape[3 if self.along == "across" else 2]
        positions: Array = (np.arange(cells) + 0.5) * (size / cells)
        return positions

    def lines(self, of: Literal["centre", "peak"] = "centre") -> tuple[LinearFit, ...]:
        """Return how each group's centre of mass, or its peak, follows the object."""
        places = self.centres if of == "centre" else self.peaks
        return tuple(line(self.offsets, places[:, g]) for g in range(places.shape[1]))


def line(x: Array, y: Array) -> LinearFit:
    """Fit y = slope · x + constant.

    >>> line(np.array([0.0, 10.0, 20.0]), np.array([5.0, 10.0, 15.0]))
    LinearFit(slope=0.5, correlation=1.0)
    """
    dx, dy = x - x.mean(), y - y.mean()
    slope = float(dx @ dy / (dx @ dx))
    length = float(np.sqrt((dx @ dx) * (dy @ dy)))
    still = np.abs(dy).max() < 1e-6 * np.abs(dx).max()
    return LinearFit(slope, None if still else round(float(dx @ dy) / length, 12))


def shift_object(
    model: Model,
    picture: Image.Image,
    *,
    along: Along = "across",
    scale: float = 0.6,
    steps: int = 5,
    groups: Sequence[int] | None = None,
) -> Shift:
    """Put a picture at several places of the input, and find out where groups look each time.

    The object is what the network sees of the picture, made smaller, on the background colour of
    the preprocessing. It moves from edge to edge by whole pixels.

    Args:
        model: Whose groups.
        picture: Upright RGB.
        along: The direction in which it moves; in the other direction it is centred.
        scale: The object's side as a share of the input's, in (0, 1).
        steps: Places, 2 at least.
        groups: Only these, in this order; None is all of them.

    Raises:
        UsageError: The scale leaves no room to move, or there are fewer than two places.
    """
    p = model.preprocessing
    side = round(scale * p.size)
    if not 0 < side < p.size or steps < 2:
        raise UsageError(
            f"cannot shift an object of {side} pixels in a frame of {p.size} to {steps} places: "
            f"scale is between 0 and 1, steps 2 or more"
        )
    small = frame(picture, p, side=side)
    offsets = np.linspace(0, p.size - side, steps).round()
    centred = (p.size - side) // 2
    frames = []
    for offset in offsets.astype(int).tolist():
        canvas = Image.new("RGB", (p.size, p.size), p.background)
        canvas.paste(small, (offset, centred) if along == "across" else (centred, offset))
        frames.append(canvas)
    pixels = np.stack([np.asarray(canvas).transpose(2, 0, 1) for canvas in frames])
    maps, _ = group_maps(model, normalise(torch.from_numpy(pixels), p), groups=groups)
    return Shift(along, tuple(frames), offsets, maps.double().numpy())


def decimals(value: float) -> str:
    """Write a slope with a real minus sign, and never as minus zero.

    >>> decimals(0.934), decimals(-0.25), decimals(-0.001)
    ('0.93', '−0.25', '0.00')
    """
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")
