"""Which cells of a picture to hide to reach a goal: a greedy search, then all smaller sets."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, islice
from math import comb

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lookalike.explanation.interventions.embedding import embed_batches
from lookalike.explanation.interventions.masking import Grid, hide, on_grid
from lookalike.explanation.questions.goals import GoalThreshold
from lookalike.explanation.saliency import METHODS
from lookalike.model import Model
from lookalike.progress import Progress
from lookalike.types import Embedding


@dataclass(frozen=True, slots=True, eq=False)
class Maskable:
    """A picture whose cells can be hidden, and the one it is compared with.

    Args:
        model: What scores them.
        image: A, normalised pixels, a batch of one.
        filled: What hidden cells show.
        other: B, likewise.
        embedded: B's embedding.
        batch_size: Pictures that go through the network at once.
    """

    model: Model
    image: Float[Tensor, "1 3 s s"]
    filled: Float[Tensor, "1 3 s s"]
    other: Float[Tensor, "1 3 s s"]
    embedded: Embedding
    batch_size: int

    def masked(self, hidden: Bool[Tensor, "n h w"]) -> Float[Tensor, "n 3 s s"]:
        """Return A under each mask."""
        shape = (len(hidden), -1, -1, -1)
        return hide(self.image.expand(shape), self.filled.expand(shape), hidden)

    @torch.no_grad()
    def embed(self, hidden: Bool[Tensor, "n h w"]) -> Embedding:
        """Embed A under each mask, in batches."""
        return embed_batches(self.model, map(self.masked, torch.split(hidden, self.batch_size)))

    @torch.no_grad()
    def scores(self, queries: Embedding) -> Float[Tensor, " n"]:
        """Score versions of A with B."""
        same = self.embedded[[0] * len(queries)]
        return self.model.similarity.pairs(queries, same).double().cpu()

    @torch.no_grad()
    def groups(self, query: Embedding) -> tuple[float, ...]:
        """Return what each group, or each level of a graph, gives to the score of one version."""
        exact = torch.float64
        parts = self.model.similarity.parts(query.to(exact), self.embedded.to(exact))
        return tuple(parts.by_group()[0].tolist())

    def map(self, hidden: Bool[Tensor, "h w"]) -> Float[Tensor, "h w"]:
        """Return the map over A as it is now, on the cells that can be hidden.

        For cosines it is the exact map. For the negative of a distance, whose exact map ranks
        empty ground first, it is the map of what both pictures have.
        """
        saliency = METHODS["shared"](self.model, self.masked(hidden[None]), self.other)
        return on_grid(saliency.a, (hidden.shape[0], hidden.shape[1]))[0]


@dataclass(frozen=True, slots=True, eq=False)
class HiddenCells:
    """The cells that a search found.

    Args:
        hidden: The cells that are hidden.
        reached: Whether the goal was reached with them; otherwise they came nearest to it.
        tried: Versions of A that were scored on the way.
        ruled_out: No set of so many cells or fewer reaches the goal: all of them were tried.
    """

    hidden: Bool[Tensor, "h w"]
    reached: bool
    tried: int
    ruled_out: int = 0


def search(
    picture: Maskable,
    threshold: GoalThreshold,
    grid: Grid,
    *,
    tries: int,
    budget: int = 0,
    progress: Progress | None = None,
) -> HiddenCells:
    """Find few cells greedily, then try every set of fewer, as far as a budget goes.

    The greedy search hides cell after cell, the one that helps most each time, and shows again
    those that are not needed. Then all single cells are tried, all pairs and so on: all sizes
    below that of the greedy set, while the budget covers all sets of a size. The first size that
    has a set which reaches the goal is the smallest; of its sets the one with the lowest score
    against the threshold is taken.

    Args:
        picture: What is hidden.
        threshold: What the score must fall below.
        grid: Height and width in cells.
        tries: Cells that are tried at each step of the greedy search: the highest of the map.
        budget: Versions of A that may be scored for the smaller sets.
        progress: Told how many versions are scored, of how many, or cells hidden, of how many.
    """
    found = _greedy(picture, threshold, grid, tries=tries, progress=progress)
    if not found.hidden.any() and found.reached:
        return found
    return _fewer(picture, threshold, found, budget=budget, progress=progress)


def _greedy(
    picture: Maskable,
    threshold: GoalThreshold,
    grid: Grid,
    *,
    tries: int,
    progress: Progress | None,
) -> HiddenCells:
    """Hide cell after cell, the one that helps most each time; then show again unneeded ones.

    The cells that are tried are the highest of the map of the picture as it then is.
    """
    hidden = torch.zeros(grid, dtype=torch.bool)
    excess = float(_excess(picture, threshold, hidden[None])[0])
    best, least, tried = hidden, excess, 1
    while excess >= 0 and not hidden.all():
        trials = _one_more(hidden, picture.map(hidden), tries)
        values = _excess(picture, threshold, trials)
        tried += len(trials)
        hidden, excess = trials[int(values.argmin())], float(values.min())
        if excess < least:
            best, least = hidden, excess
        if progress is not None:
            progress(int(hidden.sum()), hidden.numel())
    if excess >= 0:
        return HiddenCells(best, reached=False, tried=tried)
    hidden, more = _pruned(picture, threshold, hidden)
    return HiddenCells(hidden, reached=True, tried=tried + more)


def _excess(
    picture: Maskable, threshold: GoalThreshold, hidden: Bool[Tensor, "n h w"]
) -> Float[Tensor, " n"]:
    """Return by how much the score is above the threshold under each mask."""
    queries = picture.embed(hidden)
    return picture.scores(queries) - threshold.heights(queries)


def _one_more(
    hidden: Bool[Tensor, "h w"], values: Float[Tensor, "h w"], tries: int
) -> Bool[Tensor, "n h w"]:
    """Return masks with one more cell hidden, each one of the highest of the map."""
    shown = values.masked_fill(hidden, -torch.inf).flatten()
    chosen = shown.topk(min(tries, int((~hidden).sum()))).indices
    trials = hidden.flatten().repeat(len(chosen), 1)
    trials[torch.arange(len(chosen)), chosen] = True
    return trials.view(-1, *hidden.shape)


def _pruned(
    picture: Maskable, threshold: GoalThreshold, hidden: Bool[Tensor, "h w"]
) -> tuple[Bool[Tensor, "h w"], int]:
    """Show cells again, one at a time, until every one that is left is needed."""
    tried = 0
    while int(hidden.sum()) > 1:
        cells = hidden.flatten().nonzero()[:, 0]
        trials = hidden.flatten().repeat(len(cells), 1)
        trials[torch.arange(len(cells)), cells] = False
        trials = trials.view(-1, *hidden.shape)
        values = _excess(picture, threshold, trials)
        tried += len(trials)
        if float(values.min()) >= 0:
            break
        hidden = trials[int(values.argmin())]
    return hidden, tried


def _fewer(
    picture: Maskable,
    threshold: GoalThreshold,
    found: HiddenCells,
    *,
    budget: int,
    progress: Progress | None,
) -> HiddenCells:
    """Try all sets of one cell, of two and so on, while they are fewer than those found."""
    total = found.hidden.numel()
    most = int(found.hidden.sum()) - 1 if found.reached else total
    tried = found.tried
    for size in range(1, most + 1):
        count = comb(total, size)
        if count > budget:
            return replace(found, tried=tried, ruled_out=size - 1)
        budget -= count
        tried += count
        best, excess = _best_of(picture, threshold, found.hidden.shape, size, progress=progress)
        if excess < 0:
            return HiddenCells(best, reached=True, tried=tried, ruled_out=size - 1)
    return replace(found, tried=tried, ruled_out=most)


def _best_of(
    picture: Maskable,
    threshold: GoalThreshold,
    shape: torch.Size,
    size: int,
    *,
    progress: Progress | None,
) -> tuple[Bool[Tensor, "h w"], float]:
    """Return the set of so many cells with the lowest excess, and that excess."""
    best, least = torch.zeros(shape, dtype=torch.bool), float("inf")
    done, total = 0, comb(shape.numel(), size)
    for trials in _sets(shape, size, at_once=picture.batch_size):
        values = _excess(picture, threshold, trials)
        if float(values.min()) < least:
            best, least = trials[int(values.argmin())], float(values.min())
        done += len(trials)
        if progress is not None:
            progress(done, total)
    return best, least


def _sets(shape: torch.Size, size: int, *, at_once: int) -> Iterator[Bool[Tensor, "n h w"]]:
    """Yield all sets of so many cells, a batch at a time."""
    every = combinations(range(shape.numel()), size)
    while chosen := list(islice(every, at_once)):
        trials = torch.zeros(len(chosen), shape.numel(), dtype=torch.bool)
        yield trials.scatter_(1, torch.tensor(chosen), True).view(-1, *shape)
