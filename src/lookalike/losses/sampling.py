"""Distance-weighted sampling of triplets (Wu et al., ICCV 2017, section 4)."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from lookalike.protocols import PairScores


@dataclass(frozen=True, slots=True)
class Triplets:
    """Triplets of rows and columns, equally many for each matrix.

    Args:
        anchor: Rows.
        positive: Columns of the anchor's class.
        negative: Columns of another class.
        valid: False for an anchor without a positive or without a negative; ignore its columns.
    """

    anchor: Int64[Tensor, "g t"]
    positive: Int64[Tensor, "g t"]
    negative: Int64[Tensor, "g t"]
    valid: Bool[Tensor, "g t"]

    def pick(
        self, matrix: Float[Tensor, "g n m"]
    ) -> tuple[Float[Tensor, "g t"], Float[Tensor, "g t"]]:
        """Return a matrix's values between anchors and positives, and anchors and negatives."""
        start = self.anchor * matrix.shape[2]
        flat = matrix.flatten(1)
        return flat.gather(1, start + self.positive), flat.gather(1, start + self.negative)


def distance_weighted_odds(
    distances: Float[Tensor, "g n m"],
    negative: Bool[Tensor, "n m"],
    *,
    dim: int,
    cutoff: float = 0.5,
) -> Float[Tensor, "g n m"]:
    """Return the probability of each column as the negative of each row: 1/q(d), with sum 1.

    `q(d) ∝ d^(D−2) (1 − d²/4)^((D−3)/2)` is how often a distance occurs between random points of
    the unit sphere. Its inverse spans hundreds of orders of magnitude, so it is computed in log
    space and the softmax subtracts each row's maximum: the result is finite even if every negative
    is far away.

    Args:
        distances: Between unit vectors, in [0, 2].
        negative: The columns that may be drawn; a row without any gets equal values.
        dim: Numbers in a vector, D.
        cutoff: Closer columns get the probability of this distance, as they are often noise.
    """
    squared = distances.clamp(min=cutoff).square()
    # opposite points, d = 2, have q = 0; the floor keeps 1/q finite
    log_q = (dim - 2) / 2 * squared.log() + (dim - 3) / 2 * (1 - squared / 4).clamp(1e-8).log()
    # a finite floor, as the softmax of a row of −∞ is NaN
    return log_q.neg().masked_fill(~negative, torch.finfo(log_q.dtype).min).softmax(dim=-1)


@torch.no_grad()
def sample_triplets(
    scores: PairScores, *, cutoff: float = 0.5, generator: torch.Generator | None = None
) -> Triplets:
    """Draw a triplet for every row of every matrix, all rows at once.

    The positive is any column of the anchor's class; the negative is distance-weighted.

    Args:
        scores: The batch against itself.
        cutoff: See `distance_weighted_odds`.
        generator: On the device of the scores.
    """
    distances = scores.squared_distances().sqrt()
    odds = distance_weighted_odds(distances, scores.negative, dim=scores.dim, cutoff=cutoff)
    # numbers that are not finite must reach the loss, where training checks for them
    odds = odds.nan_to_num(nan=1.0)
    groups, rows, _ = odds.shape
    # two draws, of which one is used: for a single draw torch makes a random number for each entry
    draws = torch.multinomial(odds.flatten(0, 1), 2, replacement=True, generator=generator)
    has_positive = scores.positive.any(1)
    # a row of zeros cannot be drawn from
    candidates = torch.where(has_positive[:, None], scores.positive.to(odds), 1)
    positive = torch.multinomial(candidates, groups, replacement=True, generator=generator)
    anchor = torch.arange(rows, device=odds.device)
    valid = has_positive & scores.negative.any(1)
    return Triplets(
        anchor.expand(groups, -1),
        positive.T,
        draws[:, 0].view(groups, rows),
        valid.expand(groups, -1),
    )
