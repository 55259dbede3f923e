"""Deletion and insertion curves of pairs, for several sets of maps under the same conditions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Float64, Int64
from torch import Tensor

from lookalike.explanation.interventions.curves import Curves
from lookalike.explanation.interventions.masked_pairs import MaskedPairs
from lookalike.explanation.interventions.masking import Masking, on_grid, places
from lookalike.explanation.saliency import Saliency
from lookalike.model import Model

DEFAULT = Masking()
ORDERS = 4
"""Random orders for each pair, unless told otherwise."""

Places = tuple[Int64[Tensor, "n h w"], Int64[Tensor, "n h w"]]
"""Each cell's place in the order of a map, over A and over B."""


def deletion_insertion(
    model: Model,
    a: Float[Tensor, "n 3 s s"],
    b: Float[Tensor, "n 3 s s"],
    saliencies: Sequence[Saliency],
    *,
    masking: Masking = DEFAULT,
    clusters: Sequence[int] | None = None,
    orders: int = ORDERS,
    seed: int = 0,
    batch_size: int = 64,
) -> tuple[tuple[Curves, Curves], ...]:
    """Hide cells of each pair, and show them, in the order of its map, and follow the score.

    The cells of all maps are ordered on one grid, the finest of theirs, with at most
    `masking.cells` a side. Equal cells come in random order, so a map that is the same everywhere
    gives a random order. A random order backwards is random too, so one set of orders is used for
    both curves.

    Args:
        model: What scores the pairs.
        a: The first pictures, normalised pixels.
        b: The second ones.
        saliencies: Maps of these pairs, of one method or several.
        masking: How pictures are masked.
        clusters: The query picture of each pair; None where all differ.
        orders: Random orders for each pair, at least 1.
        seed: Of random orders and ties.
        batch_size: Pictures that go through the network at once.

    Returns:
        Deletion and insertion for each of the saliencies.
    """
    grids = [masking.grid(maps) for each in saliencies for maps in (each.a, each.b)]
    grid = max(height for height, _ in grids), max(width for _, width in grids)
    pairs = MaskedPairs.of(model, a, b, masking, batch_size=batch_size)
    steps = _Steps.of(pairs, masking.counts(grid))
    random = torch.Generator().manual_seed(seed)
    shape = (2, len(a), *grid)
    ties = torch.rand(shape, generator=random)
    in_random_order = [
        steps.deletion(_order(torch.rand(shape, generator=random), ties)) for _ in range(orders)
    ]
    baseline = torch.stack(in_random_order).mean(dim=0).numpy()
    shares = steps.shares.numpy()
    codes = np.arange(len(a)) if clusters is None else np.asarray(clusters, np.int64)
    both = []
    for saliency in saliencies:
        order = _order((on_grid(saliency.a, grid), on_grid(saliency.b, grid)), ties)
        hidden, shown = steps.deletion(order).numpy(), steps.insertion(order).numpy()
        both.append(
            (
                Curves("deletion", shares, hidden, baseline, codes),
                Curves("insertion", 1 - shares[::-1], shown, baseline[:, ::-1], codes),
            )
        )
    return tuple(both)


def _order(values: Sequence[Tensor] | Tensor, ties: Float[Tensor, "2 n h w"]) -> Places:
    return places(values[0], ties[0]), places(values[1], ties[1])


@dataclass(frozen=True, slots=True, eq=False)
class _Steps:
    """The steps of pairs from whole to blank, and the scores at either end.

    Args:
        pairs: What is masked.
        counts: Cells hidden at each step, from none to all.
        whole: Scores with nothing hidden.
        blank: Scores with everything hidden.
    """

    pairs: MaskedPairs
    counts: Int64[Tensor, " k"]
    whole: Float64[Tensor, "n 1"]
    blank: Float64[Tensor, "n 1"]

    @staticmethod
    def of(pairs: MaskedPairs, counts: Int64[Tensor, " k"]) -> "_Steps":
        """Score the ends, which all orders share."""
        everything = torch.ones(len(pairs), 1, 1, 1, dtype=torch.bool)
        return _Steps(pairs, counts, pairs.intact()[:, None], pairs.scores(everything, everything))

    @property
    def shares(self) -> Float64[Tensor, " k"]:
        """Of the picture, hidden at each step."""
        return self.counts.double() / self.counts[-1]

    def deletion(self, order: Places) -> Float64[Tensor, "n k"]:
        """Score each pair at each step while its first cells are hidden."""
        hidden = self.counts[1:-1, None, None]
        between = self.pairs.scores(*(place[:, None] < hidden for place in order))
        return torch.cat([self.whole, between, self.blank], dim=1)

    def insertion(self, order: Places) -> Float64[Tensor, "n k"]:
        """Score each pair at each step while its first cells are shown; the same shares."""
        shown = (self.counts[-1] - self.counts[1:-1].flip(0))[:, None, None]
        between = self.pairs.scores(*(place[:, None] >= shown for place in order))
        return torch.cat([self.blank, between, self.whole], dim=1)
