"""What would change it: the cells of A that a score, or a rank in a gallery, depends on."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from PIL import Image

from lookalike.data import Picture, read_for, to_inputs
from lookalike.errors import LookalikeError, UsageError
from lookalike.explanation.account.explanation import Contribution, Explanation, standing
from lookalike.explanation.account.explanation_record import explanation_record, group_records
from lookalike.explanation.account.group_names import GroupNames
from lookalike.explanation.account.pair import explain_pairs
from lookalike.explanation.account.sentences import how_names_hold
from lookalike.explanation.interventions.embedding import embed_images
from lookalike.explanation.interventions.masking import Masking, fill_in
from lookalike.explanation.questions.answer import Answer, Story
from lookalike.explanation.questions.catalog_pictures import require_model
from lookalike.explanation.questions.cell_search import HiddenCells, Maskable, search
from lookalike.explanation.questions.goals import Goal, GoalThreshold
from lookalike.explanation.questions.picture_tiles import SIDE, map_tile, outlined, picture_tile
from lookalike.explanation.questions.shared_sentences import (
    at_most,
    group_word,
    scored,
    with_values,
)
from lookalike.explanation.saliency.score import input_grid
from lookalike.model import Model
from lookalike.preprocessing import Preprocessing
from lookalike.progress import Progress
from lookalike.rendering.numbers import counted, score
from lookalike.rendering.overlays import limit_of
from lookalike.rendering.sheets import SheetRow, Tile

FILLS = {"blur": "blurred", "mean": "painted in the picture's mean colour"}


@dataclass(frozen=True, slots=True)
class Standing:
    """The score of A and B, before or after a change, and what it means.

    Args:
        score: Their similarity.
        bar: What it must fall below.
        rank: Of B among the pictures of a gallery, from 1; None without a gallery.
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
class Change(Answer):
    """Cells of A that were hidden to bring the score below a threshold, and what came of it.

    A greedy search finds them: none of them can be shown again alone. After that every smaller set
    is tried, as far as a budget goes: `ruled_out` says how far.

    Args:
        why: A with B as they are.
        goal: In words.
        hidden: Height × width: which cells are hidden.
        fill: What they show.
        before: The score of A and B as they are.
        after: With those cells hidden; the network saw that picture alone.
        masked: That picture, as the network sees it.
        tried: Versions of A that were scored on the way.
        ruled_out: No set of so many cells or fewer meets the goal: all of them were tried.
    """

    why: Explanation
    goal: str
    hidden: npt.NDArray[np.bool_]
    fill: Literal["blur", "mean"]
    before: Standing
    after: Standing
    masked: Image.Image
    tried: int
    ruled_out: int

    @property
    def smallest(self) -> bool:
        """Whether it is known that no smaller set of cells meets the goal."""
        return self.reached and self.cells <= self.ruled_out + 1

    @property
    def groups(self) -> tuple[Contribution, ...]:
        """What hiding changed in each group, below zero where it took; in a graph, each level."""
        pairs = zip(self.before.groups, self.after.groups, strict=True)
        return with_values(self.why.groups, (after - before for before, after in pairs))

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
        """Say what was hidden and what came of it, or that hiding does not do it."""
        word = group_word(self.why)
        moved = self.cells > 0
        return Story(
            question="What would change it?",
            sentences=(*_verdict(self), *_fewest(self), *_scores(self)),
            bars=self.groups if moved else self.why.groups,
            measured=f"What hiding changes in each {word}" if moved else f"What each {word} gives",
            notes=(*_notes(self), *how_names_hold(self.why.groups)),
        )

    def rows(self) -> tuple[SheetRow, ...]:
        """Show A, where its score comes from, A with cells hidden, and B."""
        a, b = self.why.pictures
        over_a = self.why.maps[0].sum(axis=0)
        masked = outlined(self.masked.resize((SIDE, SIDE)), self.hidden)
        hidden = f"{self.cells} of {self.hidden.size} cells hidden"
        tiles = (
            picture_tile(a, f"A: {score(self.before.score)}{_rank(self.before)}"),
            map_tile(a, over_a, limit=limit_of(over_a), words="where in A it comes from"),
            Tile(masked, f"A changed: {score(self.after.score)}{_rank(self.after)}", hidden),
            picture_tile(b, "B"),
        )
        return (SheetRow("", tiles),)

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
            "before": asdict(self.before),
            "after": asdict(self.after),
            "tried": self.tried,
            "pair": explanation_record(self.why, regions=False),
        }


def explain_change(
    model: Model,
    a: Picture,
    b: Picture,
    goal: Goal,
    *,
    fill: Literal["blur", "mean"] = "blur",
    cells: int = 8,
    tries: int = 12,
    budget: int = 2500,
    batch_size: int = 64,
    names: GroupNames | None = None,
    progress: Progress | None = None,
) -> Change:
    """Find the fewest cells of A to hide so that the similarity, or B in a list, falls.

    A greedy search finds a small set of cells. Then every smaller set is tried, as long as the
    budget covers all sets of a size; the answer says whether that proves the cells to be the
    fewest. The final picture is scored once more by itself.

    Args:
        model: What scores them.
        a: The query, the picture that is changed.
        b: The picture that A is compared with.
        goal: `Below`, `BelowPercentile` or `OutOfTop`.
        fill: What hidden cells show: the blurred picture, or its mean colour.
        cells: Cells along a side, at most; no more than the map has.
        tries: Cells that are tried at each step of the greedy search: the highest of the map, the
            exact one, or for a graph that of what both pictures have.
        budget: Versions of A that may be scored to find a smaller set, or rule it out.
        batch_size: Pictures that go through the network at once.
        names: Of the model's groups.
        progress: Told how many cells are hidden, of how many; then how many sets of a size are
            tried, of how many.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: It is not a model of this library, the goal cannot be reached, or cells, tries
            or budget are too small.
        LookalikeError: The check of the final picture disagrees with the search.
    """
    if tries < 1:
        raise UsageError(f"tries = {tries}: try at least one cell at each step")
    if budget < 0:
        raise UsageError(f"budget = {budget}: choose 0 or more versions of A")
    require_model(model)
    masking = Masking(fill=fill, cells=cells)
    (why,) = explain_pairs(model, [(a, b)], names=names)
    threshold = goal.threshold(model, a, b)
    p = model.preprocessing
    image, other = (to_inputs([read_for(picture, p)], p) for picture in (a, b))
    picture = Maskable(
        model, image, fill_in(image, masking), other, embed_images(model, other), batch_size
    )
    rows, columns = input_grid(model, image)
    grid = min(rows, cells), min(columns, cells)

    def excess(hidden: torch.Tensor) -> torch.Tensor:
        queries = picture.embed(hidden)
        return picture.scores(queries) - threshold.heights(queries)

    found = search(
        excess,
        picture.map,
        grid,
        tries=tries,
        budget=budget,
        batch_size=batch_size,
        progress=progress,
    )
    before = _standing(picture, threshold, torch.zeros_like(found.hidden))
    after = _standing(picture, threshold, found.hidden)
    _require_agreement(found, after)
    return Change(
        why=why,
        goal=threshold.words,
        hidden=found.hidden.numpy(),
        fill=fill,
        before=before,
        after=after,
        masked=_as_picture(picture.masked(found.hidden[None])[0], p),
        tried=found.tried,
        ruled_out=found.ruled_out,
    )


def _standing(picture: Maskable, threshold: GoalThreshold, hidden: torch.Tensor) -> Standing:
    """Put one picture through the network, alone."""
    query, calibration = picture.embed(hidden[None]), picture.model.calibration
    value = float(picture.scores(query)[0])
    return Standing(
        value,
        bar=float(threshold.heights(query)[0]),
        rank=threshold.rank(query, value),
        groups=picture.groups(query),
        percentile_same=None if calibration is None else calibration.percentile_same(value),
        percentile_different=(
            None if calibration is None else calibration.percentile_different(value)
        ),
    )


def _require_agreement(found: HiddenCells, after: Standing) -> None:
    if found.reached != after.reached:
        raise LookalikeError(
            f"in a batch the masked picture scored below the goal, alone it scores "
            f"{after.score:.6f} with the goal at {after.bar:.6f}: too close to tell; ask for a "
            "goal that is a little higher or lower"
        )


def _as_picture(pixels: torch.Tensor, preprocessing: Preprocessing) -> Image.Image:
    """Return the network's input as a picture."""
    p = preprocessing
    mean, std = (torch.tensor(each).view(3, 1, 1) for each in (p.mean, p.std))
    shown = ((pixels * std + mean) * 255).round().clamp(0, 255).byte()
    return Image.fromarray(shown.permute(1, 2, 0).numpy())


def _verdict(change: Change) -> Iterator[str]:
    if change.before.reached:
        yield f"Nothing needs to change: {change.subject} is already {change.goal}."
        return
    total = change.hidden.size
    if not change.reached:
        yield f"Hiding parts of A did not bring {change.subject} {change.goal}."
        yield (
            f"The lowest similarity was with {change.cells} of {total} cells hidden: "
            f"{score(change.after.score)}."
        )
        return
    those = "this" if change.cells == 1 else "these"
    yield (
        f"Hide {those} {counted(change.cells, 'cell')} of A, "
        f"{100 * change.cells / total:.0f} % of the picture, and {change.subject} falls "
        f"{change.goal}."
    )


def _fewest(change: Change) -> tuple[str, ...]:
    """Say whether fewer cells could do it, as far as is known."""
    if not change.reached or not change.cells:
        return ()
    if change.cells == 1:
        return ("Fewer cannot do it: one cell is the least.",)
    if change.smallest:
        return (f"Fewer cannot do it: {_all_sets(change.ruled_out)} tried.",)
    if not change.ruled_out:
        return ("It is not known whether fewer cells would do it.",)
    first, last = change.ruled_out + 1, change.cells - 1
    unknown = f"any {first}" if first == last else f"any {first} to {last}"
    return (
        f"{_all_sets(change.ruled_out).capitalize()} tried, and none does it; it is not known "
        f"whether {unknown} cells would.",
    )


def _all_sets(size: int) -> str:
    return "every single cell was" if size == 1 else f"all sets of up to {size} cells were"


def _scores(change: Change) -> tuple[str, ...]:
    """Say what A and B score before and after, and what that means."""
    if not change.cells:
        return (scored(change.why, "B"),)
    most = at_most(change.why)
    return tuple(
        f"{when}: similarity {score(at.score)}{most}{_rank(at)}"
        f"{'' if at.meaning is None else f', {at.meaning}'}."
        for when, at in (("Before", change.before), ("After", change.after))
    )


def _rank(at: Standing) -> str:
    return "" if at.rank is None else f", rank {at.rank}"


def _notes(change: Change) -> tuple[str, ...]:
    """Say how the cells were searched for, and what that does not prove."""
    if change.before.reached:
        return ()
    height, width = change.hidden.shape
    kind = "the map of what both have" if change.why.together else "the exact map"
    how = (
        f"The grid has {height} × {width} cells; hidden ones are {FILLS[change.fill]}. A greedy "
        f"search hides one cell after the other: of the highest on {kind} the one that helps most"
    )
    if change.reached:
        how += ". It then shows again those that are not needed"
    if change.ruled_out or change.smallest:
        how += ". After that every smaller set is tried, while the budget covers all of a size"
    tried = f"{counted(change.tried, 'version')} of A were scored, and the final one again, alone."
    if change.reached:
        return (f"{how}. {tried}",)
    every = change.ruled_out == change.hidden.size
    proven = "No set of cells does it." if every else "Some other set of cells may still do it."
    return (f"{how}. {tried} {proven}",)
