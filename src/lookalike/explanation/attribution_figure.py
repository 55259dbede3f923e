"""An attribution as a figure: each picture beside its map, and how far the maps are from complete.

Only matplotlib's own objects are used, never pyplot: no display, no state shared with the caller.
"""

import textwrap
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from lookalike.explanation.attribution import Attribution
from lookalike.explanation.figure import DPI, INK, LINE, PALE
from lookalike.explanation.overlay import limit_of, overlay, ramp, scaled
from lookalike.explanation.panels import signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches.
PANEL, SPACE, MARGIN = 1.85, 0.14, 0.2
HEADER, TITLE, FOOTER = 0.8, 0.2, 0.95
WIDTH, HEIGHT = 2 * MARGIN + 4 * PANEL + 3 * SPACE, HEADER + TITLE + PANEL + FOOTER
BAR = 2.4
LETTERS, CAPTION = 26, 68
"""How many fit into a panel's title, and into a line beneath a picture and its map."""


def draw(why: Attribution) -> "Figure":
    """Draw an attribution as a figure of matplotlib."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, HEIGHT), facecolor="white")
    FigureCanvasAgg(figure)
    x = MARGIN / WIDTH
    title = f"Why are A and B alike? Similarity {why.score:.3f}".replace("-", "−")
    note = f"approximation by {why.method}; completeness gap {why.gap:.0e}".replace("e-", "e−")
    figure.text(x, 1 - 0.3 / HEIGHT, title, size=11, weight="bold", color=INK)
    figure.text(x, 1 - 0.5 / HEIGHT, note, size=8, color=PALE)
    figure.text(x, 1 - 0.68 / HEIGHT, " ".join(why.sentences), size=8, color=INK)
    limit = limit_of(*why.maps)
    for side, (letter, shown, values) in enumerate(zip("AB", why.pictures, why.maps, strict=True)):
        picture = scaled(shown.picture, round(PANEL * DPI))
        name = shown.label if len(shown.label) <= LETTERS else f"…{shown.label[1 - LETTERS :]}"
        _panel(figure, 2 * side, picture, f"{letter}  {name}")
        drawn = overlay(shown.picture, values, shown.geometry, limit=limit, side=round(PANEL * DPI))
        _panel(figure, 2 * side + 1, drawn, f"map of {letter}, {signed(why.sums[side])}")
        left = MARGIN + 2 * side * (PANEL + SPACE)
        caption = "\n".join(textwrap.wrap(why.caption(side), CAPTION))
        figure.text(left / WIDTH, (FOOTER - 0.08) / HEIGHT, caption, size=7, color=PALE, va="top")
    _colour_bar(figure, why, limit)
    return figure


def _panel(figure: "Figure", place: int, picture: Image.Image, title: str) -> None:
    left, bottom = MARGIN + place * (PANEL + SPACE), FOOTER
    axes = figure.add_axes((left / WIDTH, bottom / HEIGHT, PANEL / WIDTH, PANEL / HEIGHT))
    axes.imshow(np.asarray(picture), interpolation="antialiased")
    axes.set_anchor("N")
    axes.set_title(title, size=8, color=INK, pad=4, parse_math=False)
    _frame(axes)


def _frame(axes: "Axes") -> None:
    axes.set_yticks([])
    axes.set_xticks([])
    for spine in axes.spines.values():
        spine.set(edgecolor=LINE, linewidth=0.6)


def _colour_bar(figure: "Figure", why: Attribution, limit: float) -> None:
    place = ((WIDTH - BAR) / 2 / WIDTH, 0.36 / HEIGHT, BAR / WIDTH, 0.1 / HEIGHT)
    axes = figure.add_axes(place)
    axes.imshow(ramp(256)[None], aspect="auto", extent=(-limit, limit, 0, 1))
    _frame(axes)
    axes.set_xticks([-limit, 0, limit], [f"−{limit:.2g}", "0", f"+{limit:.2g}"])
    axes.tick_params(labelsize=7, length=2, color=LINE, labelcolor=PALE, pad=2)
    rows, columns = why.maps[0].shape
    label = f"score per map cell ({rows} × {columns} cells)"
    axes.set_xlabel(label, size=7, color=PALE, labelpad=2)
    for x, text, align in ((-0.02, "speaks against", "right"), (1.02, "speaks for alike", "left")):
        axes.text(x, 0.5, text, size=7, color=PALE, ha=align, va="center", transform=axes.transAxes)
