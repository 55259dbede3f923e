"""Which cells of a picture to hide to reach a goal: a greedy search, then all smaller sets."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, islice
from math import comb

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from lookalike.explanation.interventions.embedding import embed_batches
from lookalike.explanation.interventions.masking import Grid, hide, on_grid
from lookalike.explanation.saliency import METHODS
from lookalike.model import Model
from lookalike.progress import Progress
from lookalike.types import Embedding

Mask = Bool[Tensor, "h w"]
Masks = Bool[Tensor, "n h w"]
Excess = Callable[[Masks], Float[Tensor, " n"]]
"""By how much the score is above what it must fall below, under each mask."""


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
    excess: Excess,
    map_of: Callable[[Mask], Float[Tensor, "h w"]],
    grid: Grid,
    *,
    tries: int,
    budget: int = 0,
    batch_size: int = 64,
    progress: Progress | None = None,
) -> HiddenCells:
    """Find few cells greedily, then try every set of fewer, as far as a budget goes.

    The greedy search hides cell after cell, the one that helps most each time, and shows again
    those that are not needed. Then all single cells are tried, all pairs and so on: all sizes
    below that of the greedy set, while the budget covers all sets of a size. The first size that
    has a set which reaches the goal is the smallest; of its sets the one with the lowest excess is
    taken.

    Args:
        excess: Below zero where the goal is reached.
        map_of: The map of the picture under a mask.
        grid: Height and width in cells.
        tries: Cells that are tried at each step of the greedy search: the highest of the map.
        budget: Versions that may be scored for the smaller sets.
        batch_size: Masks that are tried at once.
        progress: Told how many versions are scored, of how many, or cells hidden, of how many.
    """
    found = _greedy(excess, map_of, grid, tries=tries, progress=progress)
    if not found.hidden.any() and found.reached:
        return found
    total, tried = found.hidden.numel(), found.tried
    most = int(found.hidden.sum()) - 1 if found.reached else total
    for size in range(1, most + 1):
        count = comb(total, size)
        if count > budget:
            return replace(found, tried=tried, ruled_out=size - 1)
        budget -= count
        tried += count
        best, least = _best_of(excess, grid, size, batch_size=batch_size, progress=progress)
        if least < 0:
            return HiddenCells(best, reached=True, tried=tried, ruled_out=size - 1)
    return replace(found, tried=tried, ruled_out=most)


def _greedy(
    excess: Excess,
    map_of: Callable[[Mask], Float[Tensor, "h w"]],
    grid: Grid,
    *,
    tries: int,
    progress: Progress | None,
) -> HiddenCells:
    """Hide cell after cell, the one that helps most each time; then show again unneeded ones.

    The cells that are tried are the highest of the map of the picture as it then is.
    """
    hidden = torch.zeros(grid, dtype=torch.bool)
    now = float(excess(hidden[None])[0])
    best, least, tried = hidden, now, 1
    while now >= 0 and not hidden.all():
        shown = map_of(hidden).masked_fill(hidden, -torch.inf).flatten()
        highest = shown.topk(min(tries, int((~hidden).sum()))).indices
        hidden, now = _lowest(excess, _toggled(hidden, highest))
        tried += len(highest)
        if now < least:
            best, least = hidden, now
        if progress is not None:
            progress(int(hidden.sum()), hidden.numel())
    if now >= 0:
        return HiddenCells(best, reached=False, tried=tried)
    while int(hidden.sum()) > 1:
        trials = _toggled(hidden, hidden.flatten().nonzero()[:, 0])
        fewer, now = _lowest(excess, trials)
        tried += len(trials)
        if now >= 0:
            break
        hidden = fewer
    return HiddenCells(hidden, reached=True, tried=tried)


def _toggled(hidden: Mask, cells: Int64[Tensor, " n"]) -> Masks:
    """Return a mask for each of some cells, in which this cell is changed."""
    trials = hidden.flatten().repeat(len(cells), 1)
    trials[torch.arange(len(cells)), cells] ^= True
    return trials.view(-1, *hidden.shape)


def _lowest(excess: Excess, trials: Masks) -> tuple[Mask, float]:
    """Return the mask with the lowest excess, and that excess."""
    values = excess(trials)
    return trials[int(values.argmin())], float(values.min())


def _best_of(
    excess: Excess, grid: Grid, size: int, *, batch_size: int, progress: Progress | None
) -> tuple[Mask, float]:
    """Return the set of so many cells with the lowest excess, and that excess."""
    best, least = torch.zeros(grid, dtype=torch.bool), float("inf")
    done, total = 0, comb(best.numel(), size)
    for trials in _sets(grid, size, batch_size=batch_size):
        chosen, lowest = _lowest(excess, trials)
        if lowest < least:
            best, least = chosen, lowest
        done += len(trials)
        if progress is not None:
            progress(done, total)
    return best, least


def _sets(grid: Grid, size: int, *, batch_size: int) -> Iterator[Masks]:
    """Yield all sets of so many cells, a batch at a time."""
    cells = grid[0] * grid[1]
    every = combinations(range(cells), size)
    while chosen := list(islice(every, batch_size)):
        trials = torch.zeros(len(chosen), cells, dtype=torch.bool)
        yield trials.scatter_(1, torch.tensor(chosen), True).view(-1, *grid)
