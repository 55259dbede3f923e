"""One map for each group of a model, whatever its head: where the group looks.

Every map is not negative and sums to one over its cells. What a value means depends on how the
head makes its groups; `MapKind` says it, and stays with every figure.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.model import Model, evaluating
from lookalike.types import FeatureMaps

GroupMap = Literal["attention", "tokens"]
"""Which map of a group: where the head says that it looks, or the length of each of its tokens."""
GROUP_MAPS: tuple[GroupMap, ...] = ("attention", "tokens")


@dataclass(frozen=True, slots=True)
class MapKind:
    """What the maps of a model's groups are.

    Args:
        name: In a word or two, for the side of a figure.
        sentence: In full, for beneath it.
    """

    name: str
    sentence: str


ATTENTION = MapKind("attention", "Attention: the share that the group takes from each position.")
CHANNEL = MapKind(
    "strongest channel",
    "Strongest channel: the response of that channel of the group which peaks highest in the "
    "picture; values below zero are cut off.",
)
LENGTH = MapKind(
    "token length",
    "Token length: this head weighs all positions alike and looks nowhere in particular, so the "
    "map shows where the group's vector comes from, as each token's share of all their lengths.",
)
NODE = MapKind(
    "node's response",
    "Node's response: each node of the highest level, measured from where it responds least, as "
    "shares of all positions.",
)
MASK = MapKind(
    "mask",
    "Mask: how much of the features the learner lets through at each position, the mean over all "
    "channels, measured from where it lets least through, as shares of all positions.",
)

OTHERS = {"gated": CHANNEL, "channel": CHANNEL, "levels": NODE, "ensemble": MASK}
"""What `attention` is of heads for which it is not the weights of a sum, by their kind."""


@torch.no_grad()
def map_kind(model: Model) -> MapKind:
    """Say what the maps of a model's groups are.

    A head that weighs all positions of a noise picture alike has no attention to show.
    """
    size = model.preprocessing.size
    noise = torch.randn(1, 3, size, size, generator=torch.Generator().manual_seed(0))
    with evaluating(model):
        weights = model.head.attention(model.features(noise.to(model.device)))
    if float(weights.amax() - weights.amin()) <= 1e-4 * float(weights.mean()):
        return LENGTH
    kind = model.config.head.kind
    return OTHERS.get(kind, ATTENTION)


@torch.no_grad()
def group_maps(
    model: Model,
    images: Float[Tensor, "n 3 s s"],
    *,
    kind: MapKind | None = None,
    groups: Sequence[int] | None = None,
) -> tuple[Float[Tensor, "n g h w"], MapKind]:
    """Return where each group looks, and what that means for this model.

    Args:
        model: Whose groups.
        images: Normalised pixels.
        kind: Where it is known already, from `map_kind`.
        groups: Only these, in this order; None is all of them.

    Returns:
        Maps on the CPU, not negative, summing to one over positions; and what they are.
    """
    kind = kind or map_kind(model)
    with evaluating(model):
        features = model.features(images.to(model.device))
        maps = group_map(model, features, "tokens" if kind == LENGTH else "attention")
    if kind == MASK:
        maps = _above_lowest(maps)
    chosen = maps if groups is None else maps[:, list(groups)]
    return chosen.cpu(), kind


def _above_lowest(maps: Float[Tensor, "n g h w"]) -> Float[Tensor, "n g h w"]:
    """Measure each map from its lowest value; where all are equal, every share is the same.

    The mean of a mask of sigmoids is near a half everywhere: as it is, it would look flat.
    """
    above = maps - maps.amin(dim=(2, 3), keepdim=True) + 1e-12
    return above / above.sum(dim=(2, 3), keepdim=True)


def group_map(model: Model, features: FeatureMaps, of: GroupMap) -> Float[Tensor, "n g h w"]:
    """Return one of the maps that every head has, as it is."""
    return token_lengths(model, features) if of == "tokens" else model.head.attention(features)


def token_lengths(model: Model, features: FeatureMaps) -> Float[Tensor, "n g h w"]:
    """Return ‖t_hw‖ / Σ ‖t‖ for each group; where all tokens are zero, every share is the same."""
    tokens = model.head.tokens(features)
    lengths = torch.linalg.vector_norm(tokens.levels[0], dim=-1) + 1e-12
    shares = lengths / lengths.sum(dim=-1, keepdim=True)
    maps: Tensor = shares.unflatten(-1, tokens.grids[0])
    return maps
