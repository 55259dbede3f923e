"""An answer to a question: its story in words, its pictures in rows, and its numbers."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from lookalike.explanation.account.explanation import Contribution
from lookalike.rendering.forms import Shown, figure_of, page_of, record_of, sentences_of
from lookalike.rendering.numbers import signed
from lookalike.rendering.sheet_figure import draw_sheet
from lookalike.rendering.sheet_page import sheet_page
from lookalike.rendering.sheets import ColourScale, Sheet, SheetBar, SheetRow
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


class Answer(Shown, ABC):
    """An answer to a question; it is told, drawn, put on a page and written as numbers."""

    __slots__ = ()

    noun: ClassVar[str] = "an answer"

    @abstractmethod
    def story(self) -> Story:
        """Return the answer in words."""

    @abstractmethod
    def rows(self) -> tuple[SheetRow, ...]:
        """Return the pictures of the answer, in rows."""

    @abstractmethod
    def record(self) -> dict[str, Any]:
        """Return every number under its own name, arrays as nested lists."""

    def __str__(self) -> str:
        return str(self.story())


def sheet_of(answer: Answer) -> Sheet:
    """Return an answer as it is drawn and put on a page."""
    told = answer.story()
    return Sheet(
        title=told.question,
        rows=answer.rows(),
        scale=ColourScale(*told.ends),
        sentences=told.sentences,
        bars=tuple(SheetBar(bar.name, bar.value) for bar in told.bars),
        measured=told.measured,
        notes=told.notes,
    )


@sentences_of.register(Answer)
def _sentences(answer: Answer) -> tuple[str, ...]:
    return answer.story().sentences


@figure_of.register(Answer)
def _figure(answer: Answer) -> "Figure":
    return draw_sheet(sheet_of(answer))


@page_of.register(Answer)
def _page(answer: Answer) -> str:
    return sheet_page([sheet_of(answer)], record=record_of(answer))


@record_of.register(Answer)
def _record(answer: Answer) -> dict[str, Any]:
    told = answer.story()
    words = {"question": told.question, "sentences": told.sentences}
    return words | answer.record() | {"versions": versions()}
