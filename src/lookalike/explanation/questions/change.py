"""What would change it: the cells of A that a score, or a place in a list, depends on."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from PIL import Image

from lookalike.data import Picture
from lookalike.data.images import read_for, to_inputs
from lookalike.errors import LookalikeError, UsageError
from lookalike.explanation.account import Explanation
from lookalike.explanation.measures.maps import embed_images
from lookalike.explanation.measures.masking import Fill, Masking, fill_in
from lookalike.explanation.measures.naming import GroupNames
from lookalike.explanation.pair import explain_pairs
from lookalike.explanation.questions.goals import Bar, Goal
from lookalike.explanation.questions.hiding import Found, Maskable, Progress, search
from lookalike.explanation.questions.pictures import called
from lookalike.explanation.questions.story import Answered, Story
from lookalike.explanation.record import record
from lookalike.explanation.saliency.score import input_grid
from lookalike.explanation.sheet import Row
from lookalike.model import Model
from lookalike.preprocessing import Preprocessing

CELLS = 8
"""Cells along a side, at most."""
TRIES = 12
"""Cells that are tried at each step."""


@dataclass(frozen=True, slots=True)
class State:
    """How A and B stand, before or after.

    Args:
        score: Their similarity.
        bar: What it must fall below.
        rank: Of B among the pictures of a gallery, from 1; None without one.
    """

    score: float
    bar: float
    rank: int | None

    @property
    def reached(self) -> bool:
        """Whether the goal is met."""
        return self.score < self.bar


@dataclass(frozen=True, slots=True, eq=False)
class Change(Answered):
    """Cells of A that were hidden to bring the score below a bar, and what came of it.

    They were found greedily. None of them can be shown again alone, but a smaller set of others
    may do too.

    Args:
        why: A with B as they are.
        goal: In words.
        hidden: Height × width: which cells are hidden.
        fill: What they show.
        before: How A and B stand as they are.
        after: With those cells hidden, from one pass of the network over the very picture.
        masked: That picture, as the network sees it.
        tried: Versions of A that were scored on the way.
    """

    why: Explanation
    goal: str
    hidden: npt.NDArray[np.bool_]
    fill: Fill
    before: State
    after: State
    masked: Image.Image
    tried: int

    @property
    def reached(self) -> bool:
        """Whether the goal is met with these cells hidden."""
        return self.after.reached

    @property
    def subject(self) -> str:
        """What is to fall."""
        return "the similarity" if self.before.rank is None else "B"

    @property
    def cells(self) -> int:
        """How many cells are hidden."""
        return int(self.hidden.sum())

    def story(self) -> Story:
        """Return the answer in words."""
        from lookalike.explanation.questions.change_story import story

        return story(self)

    def rows(self) -> tuple[Row, ...]:
        """Return A, where its score comes from, A with cells hidden, and B."""
        from lookalike.explanation.questions.change_story import rows

        return rows(self)

    def record(self) -> dict[str, Any]:
        """Return which cells are hidden, and the scores before and after."""
        return {
            "goal": self.goal,
            "reached": self.reached,
            "hidden": self.hidden.astype(int).tolist(),
            "cells": self.cells,
            "share": self.cells / self.hidden.size,
            "fill": self.fill,
            "before": _state(self.before),
            "after": _state(self.after),
            "tried": self.tried,
            "pair": record(self.why, regions=False),
        }


def _state(state: State) -> dict[str, float | int | None]:
    return {"score": state.score, "bar": state.bar, "rank": state.rank}


def what_would_change(
    model: Model,
    a: Picture,
    b: Picture,
    goal: Goal,
    *,
    fill: Fill = "blur",
    cells: int = CELLS,
    tries: int = TRIES,
    batch_size: int = 64,
    names: GroupNames | None = None,
    progress: Progress | None = None,
) -> Change:
    """Find few cells of A whose hiding brings the score of A and B below a bar.

    Args:
        model: What scores them.
        a: The picture that is changed.
        b: The other one.
        goal: `Below`, `BelowPercentile` or `OutOfTop`.
        fill: What hidden cells show: "blur" the blurred picture, "mean" its mean colour.
        cells: Along a side, at most; no more than the map has.
        tries: At each step the so many highest cells of the exact map are tried.
        batch_size: Pictures that go through the network at once.
        names: Of the model's groups.
        progress: Told how many cells are hidden, of how many.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: The goal cannot be asked for, or there are no cells or tries.
        LookalikeError: The check of the final picture disagrees with the search.
    """
    if tries < 1:
        raise UsageError(f"tries = {tries}: try at least one cell at each step")
    masking = Masking(fill=fill, cells=cells)
    why = called(explain_pairs(model, [(a, b)])[0], names)
    bar = goal.bar(model, a, b)
    p = model.preprocessing
    image, other = (to_inputs([read_for(picture, p)], p) for picture in (a, b))
    picture = Maskable(
        model, image, fill_in(image, masking), other, embed_images(model, other), batch_size
    )
    rows, columns = input_grid(model, image)
    grid = min(rows, cells), min(columns, cells)
    found = search(picture, bar, grid, tries=tries, progress=progress)
    before = _stand(picture, bar, torch.zeros_like(found.hidden))
    after = _stand(picture, bar, found.hidden)
    _agree(found, after)
    return Change(
        why=why,
        goal=bar.words,
        hidden=found.hidden.numpy(),
        fill=fill,
        before=before,
        after=after,
        masked=_as_picture(picture.masked(found.hidden[None])[0], p),
        tried=found.tried,
    )


def _stand(picture: Maskable, bar: Bar, hidden: torch.Tensor) -> State:
    """Put one picture through the network, alone."""
    query = picture.embed(hidden[None])
    value = float(picture.scores(query)[0])
    return State(value, float(bar.heights(query)[0]), bar.rank(query, value))


def _agree(found: Found, after: State) -> None:
    if found.reached != after.reached:
        raise LookalikeError(
            f"in a batch the masked picture was below the bar, alone it scores {after.score:.6f} "
            f"with the bar at {after.bar:.6f}: too close to call; ask for a bar a little higher or "
            "lower"
        )


def _as_picture(pixels: torch.Tensor, preprocessing: Preprocessing) -> Image.Image:
    """Return the network's input as a picture."""
    p = preprocessing
    mean, std = (torch.tensor(each).view(3, 1, 1) for each in (p.mean, p.std))
    shown = ((pixels * std + mean) * 255).round().clamp(0, 255).byte()
    return Image.fromarray(shown.permute(1, 2, 0).numpy())
