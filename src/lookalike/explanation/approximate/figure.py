"""An attribution as a figure: each picture beside its map, and how far the maps are from complete.

Only matplotlib's own objects are used, never pyplot: no display, no state shared with the caller.
"""

import textwrap
from typing import TYPE_CHECKING

from PIL import Image

from lookalike.explanation.approximate.attribution import Attribution
from lookalike.rendering.figures import DPI, INK, PALE, colour_bar, show
from lookalike.rendering.forms import figure_of
from lookalike.rendering.labels import shortened
from lookalike.rendering.numbers import signed
from lookalike.rendering.overlays import limit_of, overlay, scaled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Inches.
PANEL, SPACE, MARGIN = 1.85, 0.14, 0.2
HEADER, TITLE, FOOTER = 0.8, 0.2, 0.95
WIDTH, HEIGHT = 2 * MARGIN + 4 * PANEL + 3 * SPACE, HEADER + TITLE + PANEL + FOOTER
BAR = 2.4
LETTERS, CAPTION = 26, 68
"""How many fit into a panel's title, and into a line beneath a picture and its map."""


@figure_of.register(Attribution)
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
        _panel(figure, 2 * side, picture, f"{letter}  {shortened(shown.label, LETTERS)}")
        drawn = overlay(shown.picture, values, shown.geometry, limit=limit, side=round(PANEL * DPI))
        _panel(figure, 2 * side + 1, drawn, f"map of {letter}, {signed(why.sums[side])}")
        left = MARGIN + 2 * side * (PANEL + SPACE)
        caption = "\n".join(textwrap.wrap(why.caption(side), CAPTION))
        figure.text(left / WIDTH, (FOOTER - 0.08) / HEIGHT, caption, size=7, color=PALE, va="top")
    colour_bar(figure, limit, why.maps[0].shape, size=(BAR, 0.1), bottom=0.36)
    return figure


def _panel(figure: "Figure", place: int, picture: Image.Image, title: str) -> None:
    left, bottom = MARGIN + place * (PANEL + SPACE), FOOTER
    axes = figure.add_axes((left / WIDTH, bottom / HEIGHT, PANEL / WIDTH, PANEL / HEIGHT))
    show(axes, picture)
    axes.set_anchor("N")
    axes.set_title(title, size=8, color=INK, pad=4, parse_math=False)
