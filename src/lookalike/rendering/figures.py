"""What figures share: ink, resolution, and a picture in a frame.

Only matplotlib's own objects are used, never pyplot: no display, no state shared with the caller.
"""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from PIL import Image

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DPI = 170
INK, PALE, LINE = "#1a1a1a", "#5f5f5f", "#c8c8c8"


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure of a size in inches; it belongs to no window."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def write_figure(figure: "Figure", path: Path) -> None:
    """Write a figure into a file."""
    with warnings.catch_warnings():
        # A letter of a file's name that no font has is drawn as a box.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(path, format="png", dpi=DPI)


def show(axes: "Axes", picture: Image.Image | npt.NDArray[np.uint8]) -> None:
    """Show a picture in a thin frame."""
    axes.imshow(np.asarray(picture), interpolation="antialiased")
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set(edgecolor=LINE, linewidth=0.6)
