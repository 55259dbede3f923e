"""What every answer to a question can do: words, a figure, a page, numbers, and files of these."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from lookalike.explanation.questions.story import Story
from lookalike.rendering.forms import (
    Shown,
    figure_of,
    page_of,
    record_of,
    sentences_of,
)
from lookalike.rendering.sheet_figure import draw_sheet
from lookalike.rendering.sheet_page import sheet_page
from lookalike.rendering.sheets import ColourScale, Sheet, SheetBar, SheetRow
from lookalike.versions import versions

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
