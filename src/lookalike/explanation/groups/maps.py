"""One map for each group of any model: where the group looks.

No value of a map is negative, and each map sums to one over its cells. What a value means depends
on the head: its `MapMeaning` says it, and stands beside every figure.
"""

from collections.abc import Sequence
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.accounts import MapMeaning
from lookalike.model import Model, evaluating
from lookalike.types import FeatureMaps, Tokens

GroupMap = Literal["attention", "tokens"]
"""Which map of a group: the attention of the head, or the length of each token."""
GROUP_MAPS: tuple[GroupMap, ...] = ("attention", "tokens")


def map_kind(model: Model) -> MapMeaning:
    """Say what the maps of a model's groups show."""
    return model.head.shows


@torch.no_grad()
def group_maps(
    model: Model,
    images: Float[Tensor, "n 3 s s"],
    *,
    groups: Sequence[int] | None = None,
) -> tuple[Float[Tensor, "n g h w"], MapMeaning]:
    """Return where each group looks, and what that means for this model.

    Args:
        model: Whose groups.
        images: Normalised pixels.
        groups: Only these, in this order; None is all of them.

    Returns:
        Maps on the CPU, not negative, summing to one over positions; and what they show.
    """
    kind = map_kind(model)
    with evaluating(model):
        known = model.head.breakdown(model.features(images.to(model.device)))
        maps = token_lengths(known.tokens) if known.attention is None else known.attention
    if kind.from_lowest:
        maps = _above_lowest(maps)
    chosen = maps if groups is None else maps[:, list(groups)]
    return chosen.cpu(), kind


def _above_lowest(maps: Float[Tensor, "n g h w"]) -> Float[Tensor, "n g h w"]:
    """Subtract each map's lowest value; if all values are equal, every share is the same.

    The mean of a mask of sigmoids is near 0.5 everywhere: it would look flat as it is.
    """
    above = maps - maps.amin(dim=(2, 3), keepdim=True) + 1e-12
    return above / above.sum(dim=(2, 3), keepdim=True)


def group_map(model: Model, features: FeatureMaps, of: GroupMap) -> Float[Tensor, "n g h w"]:
    """Return one of the maps that every head has, unchanged."""
    if of == "tokens":
        return token_lengths(model.head.tokens(features))
    return model.head.breakdown(features).weights()


def token_lengths(tokens: Tokens) -> Float[Tensor, "n g h w"]:
    """Return ‖t_hw‖ / Σ ‖t‖ for each group; if all tokens are zero, every share is the same."""
    lengths = torch.linalg.vector_norm(tokens.levels[0], dim=-1) + 1e-12
    shares = lengths / lengths.sum(dim=-1, keepdim=True)
    maps: Tensor = shares.unflatten(-1, tokens.grids[0])
    return maps
