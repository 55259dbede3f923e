"""An answer in words, pictures and numbers, and the files it is saved as."""

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.explanation.account.explanation import Contribution
from lookalike.rendering.forms import save
from lookalike.rendering.numbers import signed
from lookalike.rendering.sheets import Row
from lookalike.versions import versions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ALIKE = ("speaks against", "speaks for alike")
"""What the ends of the colour scale mean where maps show a score."""


@dataclass(frozen=True, slots=True)
class Story:
    """The answer in words, with the numbers that a reader wants first.

    Args:
        question: As the reader would ask it.
        sentences: The answer, the most important first.
        bars: What the groups gave; may be empty.
        measured: What the bars' numbers are.
        ends: What blue and what red means, in maps and bars alike.
        notes: Small print: how it was made, and how exactly it adds up.
    """

    question: str
    sentences: tuple[str, ...]
    bars: tuple[Contribution, ...] = ()
    measured: str = ""
    ends: tuple[str, str] = ALIKE
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        width = max((len(bar.name) for bar in self.bars), default=0)
        bars = [f"  {bar.name:<{width}}  {signed(bar.value)}" for bar in self.bars]
        title = [f"{self.measured}:"] if bars else []
        return "\n".join([self.question, *self.sentences, *title, *bars, *self.notes])


class Answered(ABC):
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
        from lookalike.explanation.questions.story_figure import draw

        return draw(self.story(), self.rows())

    def to_html(self) -> str:
        """Return a page that stands alone."""
        from lookalike.explanation.questions.story_page import to_html

        return to_html(self.story(), self.rows(), self.to_json())

    def to_json(self) -> str:
        """Return the answer and every number of it as one JSON object."""
        told = self.story()
        words = {"question": told.question, "sentences": told.sentences}
        made = {"versions": versions()}
        return json.dumps(words | self.record() | made, allow_nan=False)

    def save(self, path: str | Path) -> None:
        """Write the answer as what the path's suffix says.

        Args:
            path: Ends in .png (a figure), .html (a page) or .json (the numbers).

        Raises:
            UsageError: The suffix is another.
            LookalikeError: The file cannot be written.
        """
        save(self, path, called="an answer")
