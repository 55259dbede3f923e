"""A story: the answer to a question in words, with its bars and notes."""

from dataclasses import dataclass

from lookalike.explanation.account.explanation import Contribution
from lookalike.rendering.numbers import signed

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
