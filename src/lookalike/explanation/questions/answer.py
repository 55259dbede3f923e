"""What every answer to a question can do: words, a figure, a page, numbers, and files of these."""

import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.explanation.account.page import bars_of, for_script
from lookalike.explanation.questions.story import Story
from lookalike.explanation.questions.story_figure import draw, strongest_bars
from lookalike.rendering.forms import save
from lookalike.rendering.numbers import signed
from lookalike.rendering.overlays import data_uri, ramp
from lookalike.rendering.pages import templates
from lookalike.rendering.sheets import Row
from lookalike.versions import versions

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Answer(ABC):
    """An answer to a question; it is told, drawn, put on a page and written as numbers."""

    __slots__ = ()

    @abstractmethod
    def story(self) -> Story:
        """Return the answer in words."""

    @abstractmethod
    def rows(self) -> tuple[Row, ...]:
        """Return the pictures of the answer, in rows."""

    @abstractmethod
    def record(self) -> dict[str, Any]:
        """Return every number under its own name, arrays as nested lists."""

    def __str__(self) -> str:
        return str(self.story())

    def plot(self) -> "Figure":
        """Draw the answer; the figure belongs to no window and needs no display."""
        return draw(self.story(), self.rows())

    def to_html(self) -> str:
        """Return a page that stands alone."""
        story, rows = self.story(), self.rows()
        shown = strongest_bars(story.bars)
        here = templates(Path(__file__).parent / "templates")
        here.filters["signed"] = signed
        return here.get_template("story.html").render(
            story=story,
            rows=rows,
            columns=max((len(row.tiles) for row in rows), default=1),
            bars=list(zip(shown, bars_of([bar.value for bar in shown]), strict=True)),
            record=for_script(self.to_json()),
            uri=data_uri,
            ramp=ramp(41).tolist(),
        )

    def to_json(self) -> str:
        """Return the answer and every number of it as one JSON object."""
        told = self.story()
        words = {"question": told.question, "sentences": told.sentences}
        return json.dumps(words | self.record() | {"versions": versions()}, allow_nan=False)

    def save(self, path: str | Path) -> None:
        """Write the answer as what the path's suffix says.

        Args:
            path: Ends in .png (a figure), .html (a page) or .json (the numbers).

        Raises:
            UsageError: The suffix is another.
            LookalikeError: The file cannot be written.
        """
        save(self, path, called="an answer")
