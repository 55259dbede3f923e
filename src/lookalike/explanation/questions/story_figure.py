"""An answer as a figure: the question, the answer in words, pictures, bars, one colour scale."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lookalike.explanation.account.explanation import Contribution
from lookalike.explanation.questions.story import Story
from lookalike.rendering.figures import INK, LINE
from lookalike.rendering.numbers import signed
from lookalike.rendering.overlays import ramp
from lookalike.rendering.sheet_figure import (
    LETTER,
    LINE_HEIGHT,
    MARGIN,
    SMALL,
    SMALLEST,
    SPACE,
    Grid,
    Page,
    draw_row,
    row_height,
    wrapped,
)
from lookalike.rendering.sheets import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Inches, and points.
WIDTH, LEAST_WIDTH = 11.0, 7.4
NAMES, LARGEST = 1.2, 1.75
QUESTION, SENTENCE = 14, 10
TALL = 0.2
"""Height of a line of the answer, and of a bar with the space around it."""
THICK = 0.13
BARS = 3.2
"""Width of the longest bar."""
MOST_BARS = 8
COLOURS = ("#2b6cb0", "#c0392b")
"""Of a bar that speaks against, and of one that speaks for."""


def draw(story: Story, rows: Sequence[Row]) -> "Figure":
    """Draw an answer as a figure of matplotlib; it belongs to no window and needs no display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    grid = _grid(rows)
    width = max(grid.width, LEAST_WIDTH)
    answer, *more = story.sentences
    room = width - 2 * MARGIN
    bold = wrapped(answer, room, size=SENTENCE - 1)
    told = [*bold, *(line for text in more for line in wrapped(text, room, size=SENTENCE - 1))]
    notes = [line for text in story.notes for line in wrapped(text, width - 2 * MARGIN)]
    bars = strongest_bars(story.bars)
    heights = [row_height(row, grid) for row in rows]
    head = 0.62 + TALL * len(told)
    chart = 0.3 + TALL * len(bars) + 0.15 if bars else 0.0
    height = head + sum(heights) + chart + 0.45 + LINE_HEIGHT * len(notes)
    figure = Figure(figsize=(width, height), facecolor="white")
    FigureCanvasAgg(figure)
    page = Page(figure, width, height)
    page.text(MARGIN, 0.18, story.question, size=QUESTION, colour=INK, weight="bold")
    for number, line in enumerate(told):
        weight = "bold" if number < len(bold) else "normal"
        page.text(MARGIN, 0.5 + TALL * number, line, size=SENTENCE, colour=INK, weight=weight)
    y = head
    for row, used in zip(rows, heights, strict=True):
        draw_row(page, grid, row, y)
        y += used
    _scale(page, story, y + 0.05)
    if bars:
        _bars(page, story, bars, y + 0.4)
    page.lines(MARGIN, y + 0.38 + chart, notes, size=SMALL)
    return figure


def _grid(rows: Sequence[Row]) -> Grid:
    columns = max((len(row.tiles) for row in rows), default=1)
    left = NAMES if any(row.name or row.notes for row in rows) else MARGIN
    fitting = (WIDTH - left - MARGIN) / columns - SPACE
    return Grid(left, min(max(fitting, SMALLEST), LARGEST), columns)


def strongest_bars(bars: Sequence[Contribution]) -> list[Contribution]:
    """Keep the bars in their order; where there are many, the strongest, and the rest as one."""
    if len(bars) <= MOST_BARS:
        return list(bars)
    order = sorted(bars, key=lambda bar: -abs(bar.value))
    rest = order[MOST_BARS - 1 :]
    together = Contribution(f"{len(rest)} others", sum(bar.value for bar in rest))
    return [*order[: MOST_BARS - 1], together]


def _bars(page: Page, story: Story, bars: Sequence[Contribution], y: float) -> None:
    """Draw a bar for each group on either side of a line at zero."""
    page.text(MARGIN, y, story.measured, colour=INK, weight="bold")
    longest = max(len(bar.name) for bar in bars)
    left = MARGIN + LETTER * 8 * longest + 0.75
    values = [bar.value for bar in bars]
    low, high = min((0.0, *values)), max((0.0, *values))
    unit = BARS / ((high - low) or 1.0)
    zero = left - low * unit
    for number, bar in enumerate(bars):
        top = y + 0.27 + TALL * number
        start, end = sorted((zero, zero + bar.value * unit))
        page.text(MARGIN, top - 0.01, bar.name)
        page.box(start, top, end - start, THICK, COLOURS[bar.value >= 0])
        page.text(left + BARS + 0.65, top - 0.01, signed(bar.value), colour=INK, align="right")
    page.box(zero, y + 0.22, 0.008, TALL * len(bars) + 0.05, LINE)


def _scale(page: Page, story: Story, y: float) -> None:
    low, high = story.ends
    start = MARGIN + 0.06 * len(low) + 0.12
    page.text(MARGIN, y - 0.02, low)
    page.picture(start, y, ramp(511)[None], width=1.8, height=0.11)
    page.text(start + 1.9, y - 0.02, high)
