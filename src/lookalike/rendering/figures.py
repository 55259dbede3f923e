"""What all figures share: ink, resolution, a picture in a frame, the colour scale of maps.

Only matplotlib's own objects are used, never pyplot: no display, no state shared with the caller.
"""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from lookalike.rendering.overlays import ramp

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DPI = 200
INK, PALE, LINE = "#1a1a1a", "#5f5f5f", "#c8c8c8"


def write_figure(figure: "Figure", path: Path) -> None:
    """Write a figure into a file."""
    with warnings.catch_warnings():
        # A letter of a file's name that no font has is drawn as a box.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(path, format="png", dpi=DPI)


def show(axes: "Axes", picture: Image.Image) -> None:
    """Show a picture in a thin frame."""
    axes.imshow(np.asarray(picture), interpolation="antialiased")
    axes.set_xticks([])
    axes.set_yticks([])
    _frame(axes)


def _frame(axes: "Axes") -> None:
    for spine in axes.spines.values():
        spine.set(edgecolor=LINE, linewidth=0.6)


def colour_bar(
    figure: "Figure",
    limit: float,
    grid: tuple[int, ...],
    *,
    size: tuple[float, float],
    bottom: float,
) -> None:
    """Draw the scale of all maps in the middle of the bottom.

    Args:
        figure: Where.
        limit: The value with the strongest colour.
        grid: Rows and columns of the maps.
        size: Width and height, inches.
        bottom: From the figure's lower edge, inches.
    """
    width, height = figure.get_size_inches()
    left = (width - size[0]) / 2
    place = (left / width, bottom / height, size[0] / width, size[1] / height)
    axes = figure.add_axes(place)
    axes.imshow(ramp(256)[None], aspect="auto", extent=(-limit, limit, 0, 1))
    axes.set_yticks([])
    axes.set_xticks([-limit, 0, limit], [f"−{limit:.2g}", "0", f"+{limit:.2g}"])
    axes.tick_params(labelsize=7, length=2, color=LINE, labelcolor=PALE, pad=2)
    _frame(axes)
    rows, columns = grid
    axes.set_xlabel(
        f"score per map cell ({rows} × {columns} cells)", size=7, color=PALE, labelpad=2
    )
    for x, text, align in ((-0.02, "speaks against", "right"), (1.02, "speaks for alike", "left")):
        axes.text(x, 0.5, text, size=7, color=PALE, ha=align, va="center", transform=axes.transAxes)
