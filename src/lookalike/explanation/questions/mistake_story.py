"""A wrong match against the right one, told and drawn."""

from dataclasses import replace

from lookalike.explanation.questions import margin_story
from lookalike.explanation.questions.mistake import Mistake
from lookalike.explanation.questions.story import Story
from lookalike.rendering.numbers import score
from lookalike.rendering.sheets import Row


def story(mistake: Mistake) -> Story:
    """Say which is above, and what put it there."""
    right, wrong = mistake.classes
    told = margin_story.story(mistake.margin)
    question = f"Why is {wrong} above {right} for a picture of {right}?"
    if not mistake.wrong:
        question = f"Does {wrong} come before {right} for a picture of {right}?"
    return replace(
        told,
        question=question,
        sentences=(*_verdict(mistake), *told.sentences[1:]),
        ends=("speaks for C, the right one", "speaks for B, the wrong one"),
        notes=(_files(mistake), *told.notes),
    )


def _verdict(mistake: Mistake) -> tuple[str, str]:
    right, wrong = mistake.classes
    by = score(abs(mistake.margin.value))
    which = f"B ({wrong}) is the best wrong result, C ({right}) the best right one."
    if not mistake.wrong:
        return f"It does not: the right one is above by {by}.", which
    return f"B is above by {by}; the right one comes at rank {mistake.contest.rank}.", which


def _files(mistake: Mistake) -> str:
    """Say which files they are, as the pictures are called by their classes."""
    (a, b), (_, c) = mistake.margin.first.pictures, mistake.margin.second.pictures
    return f"A is {a.label}, B {b.label}, C {c.label}."


def rows(mistake: Mistake) -> tuple[Row, ...]:
    """Show what the margin shows, and say which result is wrong and which right."""
    pictures, maps = margin_story.rows(mistake.margin)
    right, wrong = mistake.classes
    a, b, c = (tile for tile in pictures.tiles if tile is not None)
    tiles = (
        replace(a, words=right),
        replace(b, words=f"{wrong} (wrong)"),
        replace(c, words=f"{right} (right)"),
    )
    return replace(pictures, tiles=tiles), maps
