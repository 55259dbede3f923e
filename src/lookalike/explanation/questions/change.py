"""What would change it: the cells of A that a score, or a place in a list, depends on."""

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from PIL import Image

from lookalike.data import Picture
from lookalike.data.pictures.images import read_for, to_inputs
from lookalike.errors import LookalikeError, UsageError
from lookalike.explanation.account.explanation import Contribution, Explanation, standing
from lookalike.explanation.account.pair import explain_pairs
from lookalike.explanation.account.record import group_records, record
from lookalike.explanation.interventions.masking import Fill, Masking, fill_in
from lookalike.explanation.measures.maps import embed_images
from lookalike.explanation.measures.naming import GroupNames
from lookalike.explanation.questions.goals import Bar, Goal
from lookalike.explanation.questions.hiding import Found, Maskable, search
from lookalike.explanation.questions.pictures import called, require_model
from lookalike.explanation.questions.story import Answered, Story
from lookalike.explanation.saliency.score import input_grid
from lookalike.model import Model
from lookalike.preprocessing import Preprocessing
from lookalike.progress import Progress
from lookalike.rendering.sheets import Row

CELLS = 8
"""Cells along a side, at most."""
TRIES = 12
"""Cells that are tried at each step."""
BUDGET = 2500
"""Versions of A that may be scored to find a smaller set, or to rule one out."""


@dataclass(frozen=True, slots=True)
class State:
    """How A and B stand, before or after.

    Args:
        score: Their similarity.
        bar: What it must fall below.
        rank: Of B among the pictures of a gallery, from 1; None without one.
        groups: What each group gives to the similarity; in a graph, each level.
        percentile_same: Percent of held-out pairs of one class that score lower; None without a
            calibration.
        percentile_different: The same among pairs of different classes.
    """

    score: float
    bar: float
    rank: int | None
    groups: tuple[float, ...]
    percentile_same: float | None = None
    percentile_different: float | None = None

    @property
    def reached(self) -> bool:
        """Whether the goal is met."""
        return self.score < self.bar

    @property
    def meaning(self) -> str | None:
        """What the score means among held-out pairs, in words; None without a calibration."""
        if self.percentile_different is None or self.percentile_same is None:
            return None
        return standing(different=self.percentile_different, same=self.percentile_same)


@dataclass(frozen=True, slots=True, eq=False)
class Change(Answered):
    """Cells of A that were hidden to bring the score below a bar, and what came of it.

    They were found greedily, so that none of them can be shown again alone, and after that every
    smaller set was tried, as far as a budget went: `ruled_out` says how far.

    Args:
        why: A with B as they are.
        goal: In words.
        hidden: Height × width: which cells are hidden.
        fill: What they show.
        before: How A and B stand as they are.
        after: With those cells hidden, from one pass of the network over the very picture.
        masked: That picture, as the network sees it.
        tried: Versions of A that were scored on the way.
        ruled_out: No set of so many cells or fewer meets the goal: all of them were tried.
    """

    why: Explanation
    goal: str
    hidden: npt.NDArray[np.bool_]
    fill: Fill
    before: State
    after: State
    masked: Image.Image
    tried: int
    ruled_out: int

    @property
    def smallest(self) -> bool:
        """Whether it is known that no smaller set of cells meets the goal."""
        return self.reached and self.cells <= self.ruled_out + 1

    @property
    def groups(self) -> tuple[Contribution, ...]:
        """What hiding took from each group, below zero, or gave to it; in a graph, each level."""
        pairs = zip(self.before.groups, self.after.groups, strict=True)
        return tuple(
            replace(group, value=after - before)
            for group, (before, after) in zip(self.why.groups, pairs, strict=True)
        )

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
            "smallest": self.smallest,
            "ruled_out": self.ruled_out,
            "groups": group_records(self.groups),
            "fill": self.fill,
            "before": _state(self.before),
            "after": _state(self.after),
            "tried": self.tried,
            "pair": record(self.why, regions=False),
        }


def _state(state: State) -> dict[str, Any]:
    return asdict(state)


def what_would_change(
    model: Model,
    a: Picture,
    b: Picture,
    goal: Goal,
    *,
    fill: Fill = "blur",
    cells: int = CELLS,
    tries: int = TRIES,
    budget: int = BUDGET,
    batch_size: int = 64,
    names: GroupNames | None = None,
    progress: Progress | None = None,
) -> Change:
    """Find the fewest cells of A whose hiding brings the score of A and B below a bar.

    A greedy search finds few; then every smaller set is tried, single cells first, as long as a
    budget covers all sets of a size. `Change.smallest` says whether that proves the cells to be
    the fewest.

    Args:
        model: What scores them.
        a: The picture that is changed.
        b: The other one.
        goal: `Below`, `BelowPercentile` or `OutOfTop`.
        fill: What hidden cells show: "blur" the blurred picture, "mean" its mean colour.
        cells: Along a side, at most; no more than the map has.
        tries: At each step of the greedy search the so many highest cells of the map are tried:
            the exact one, or of a graph that of what both pictures have.
        budget: Versions of A that may be scored for smaller sets, at least 0.
        batch_size: Pictures that go through the network at once.
        names: Of the model's groups.
        progress: Told how many cells are hidden, of how many; then how many sets of a size are
            tried, of how many.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: It is not a model of this library, the goal cannot be asked for, or there are
            no cells or tries.
        LookalikeError: The check of the final picture disagrees with the search.
    """
    if tries < 1:
        raise UsageError(f"tries = {tries}: try at least one cell at each step")
    if budget < 0:
        raise UsageError(f"budget = {budget}: score no versions, 0, or some")
    require_model(model)
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
    found = search(picture, bar, grid, tries=tries, budget=budget, progress=progress)
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
        ruled_out=found.ruled_out,
    )


def _stand(picture: Maskable, bar: Bar, hidden: torch.Tensor) -> State:
    """Put one picture through the network, alone."""
    query, calibration = picture.embed(hidden[None]), picture.model.calibration
    value = float(picture.scores(query)[0])
    return State(
        value,
        bar=float(bar.heights(query)[0]),
        rank=bar.rank(query, value),
        groups=picture.groups(query),
        percentile_same=None if calibration is None else calibration.percentile_same(value),
        percentile_different=(
            None if calibration is None else calibration.percentile_different(value)
        ),
    )


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
