"""Which cells of a picture to hide so that a goal is reached: a greedy search, and a last check."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lookalike.explanation.measures.masking import Grid, hide, on_grid
from lookalike.explanation.questions.goals import Bar
from lookalike.explanation.saliency import METHODS
from lookalike.model import Model, evaluating
from lookalike.types import Embedding

Progress = Callable[[int, int], None]


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
        with evaluating(self.model):
            return Embedding.cat(
                [
                    self.model(self.masked(some).to(self.model.device)).to("cpu")
                    for some in torch.split(hidden, self.batch_size)
                ]
            )

    @torch.no_grad()
    def scores(self, queries: Embedding) -> Float[Tensor, " n"]:
        """Score versions of A with B."""
        same = self.embedded[[0] * len(queries)]
        return self.model.similarity.pairs(queries, same).double().cpu()

    def map(self, hidden: Bool[Tensor, "h w"]) -> Float[Tensor, "h w"]:
        """Return the exact map over A as it is now, on the cells that can be hidden."""
        saliency = METHODS["exact"](self.model, self.masked(hidden[None]), self.other)
        return on_grid(saliency.a, (hidden.shape[0], hidden.shape[1]))[0]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What a search found.

    Args:
        hidden: The cells that are hidden.
        reached: Whether the goal was reached with them; otherwise they came nearest to it.
        tried: Versions of A that were scored on the way.
    """

    hidden: Bool[Tensor, "h w"]
    reached: bool
    tried: int


def search(
    picture: Maskable, bar: Bar, grid: Grid, *, tries: int, progress: Progress | None = None
) -> Found:
    """Hide cell after cell, the one that helps most each time, and show again what need not be.

    Args:
        picture: What is hidden.
        bar: What the score must fall below.
        grid: Height and width in cells.
        tries: Cells that are tried at each step: the highest of the exact map as it is then.
        progress: Told how many cells are hidden, of how many.
    """
    hidden = torch.zeros(grid, dtype=torch.bool)
    excess = float(_excess(picture, bar, hidden[None])[0])
    best, least, tried = hidden, excess, 1
    while excess >= 0 and not hidden.all():
        trials = _one_more(hidden, picture.map(hidden), tries)
        values = _excess(picture, bar, trials)
        tried += len(trials)
        hidden, excess = trials[int(values.argmin())], float(values.min())
        if excess < least:
            best, least = hidden, excess
        if progress is not None:
            progress(int(hidden.sum()), hidden.numel())
    if excess >= 0:
        return Found(best, reached=False, tried=tried)
    hidden, more = _pruned(picture, bar, hidden)
    return Found(hidden, reached=True, tried=tried + more)


def _excess(picture: Maskable, bar: Bar, hidden: Bool[Tensor, "n h w"]) -> Float[Tensor, " n"]:
    """Return by how much the score is above the bar under each mask."""
    queries = picture.embed(hidden)
    return picture.scores(queries) - bar.heights(queries)


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
    picture: Maskable, bar: Bar, hidden: Bool[Tensor, "h w"]
) -> tuple[Bool[Tensor, "h w"], int]:
    """Show cells again, one at a time, until every one that is left is needed."""
    tried = 0
    while int(hidden.sum()) > 1:
        cells = hidden.flatten().nonzero()[:, 0]
        trials = hidden.flatten().repeat(len(cells), 1)
        trials[torch.arange(len(cells)), cells] = False
        trials = trials.view(-1, *hidden.shape)
        values = _excess(picture, bar, trials)
        tried += len(trials)
        if float(values.min()) >= 0:
            break
        hidden = trials[int(values.argmin())]
    return hidden, tried
