"""What every answer to a question can do: words, a figure, a page, numbers, and files of these."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from lookalike.explanation.account.page import bars_of, for_script
from lookalike.explanation.questions.story import Story
from lookalike.explanation.questions.story_figure import draw, strongest_bars
from lookalike.rendering.forms import (
    Shown,
    figure_of,
    page_of,
    record_of,
    sentences_of,
)
from lookalike.rendering.numbers import signed
from lookalike.rendering.overlays import data_uri, ramp
from lookalike.rendering.pages import templates
from lookalike.rendering.sheets import Row
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
    def rows(self) -> tuple[Row, ...]:
        """Return the pictures of the answer, in rows."""

    @abstractmethod
    def record(self) -> dict[str, Any]:
        """Return every number under its own name, arrays as nested lists."""

    def __str__(self) -> str:
        return str(self.story())


@sentences_of.register(Answer)
def _sentences(answer: Answer) -> tuple[str, ...]:
    return answer.story().sentences


@figure_of.register(Answer)
def _figure(answer: Answer) -> "Figure":
    return draw(answer.story(), answer.rows())


@record_of.register(Answer)
def _record(answer: Answer) -> dict[str, Any]:
    told = answer.story()
    words = {"question": told.question, "sentences": told.sentences}
    return words | answer.record() | {"versions": versions()}


@page_of.register(Answer)
def _page(answer: Answer) -> str:
    story, rows = answer.story(), answer.rows()
    shown = strongest_bars(story.bars)
    here = templates(Path(__file__).parent / "templates")
    here.filters["signed"] = signed
    return here.get_template("story.html").render(
        story=story,
        rows=rows,
        columns=max((len(row.tiles) for row in rows), default=1),
        bars=list(zip(shown, bars_of([bar.value for bar in shown]), strict=True)),
        record=for_script(answer.to_json()),
        uri=data_uri,
        ramp=ramp(41).tolist(),
    )
