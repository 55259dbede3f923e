"""An answer as a page that stands alone, with its numbers in it."""

from collections.abc import Sequence
from pathlib import Path

from lookalike.explanation.account.page import bars_of, for_script
from lookalike.explanation.questions.story import Story
from lookalike.explanation.questions.story_figure import strongest_bars
from lookalike.rendering.numbers import signed
from lookalike.rendering.overlays import data_uri, ramp
from lookalike.rendering.pages import templates
from lookalike.rendering.sheets import Row


def to_html(story: Story, rows: Sequence[Row], record: str) -> str:
    """Return a page with no reference to anything outside it.

    Args:
        story: The answer in words.
        rows: Its pictures.
        record: Its numbers as JSON.
    """
    here = templates(Path(__file__).parent / "templates")
    here.filters["signed"] = signed
    shown = strongest_bars(story.bars)
    return here.get_template("story.html").render(
        story=story,
        rows=rows,
        columns=max((len(row.tiles) for row in rows), default=1),
        bars=list(zip(shown, bars_of([bar.value for bar in shown]), strict=True)),
        record=for_script(record),
        uri=data_uri,
        ramp=ramp(41).tolist(),
    )
