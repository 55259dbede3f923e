"""Explain pairs of pictures: one pass of the network for all of them."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.data import Picture, read_for, to_inputs
from lookalike.errors import LookalikeError, UsageError
from lookalike.explanation.account.explanation import Array, Contribution, Explanation
from lookalike.explanation.account.group_names import GroupNames, named
from lookalike.explanation.account.nodes import nodes_of
from lookalike.explanation.account.pictured import Pictured, name_of, pictured
from lookalike.model import Model, evaluating
from lookalike.types import Embedding, Tokens


def explain_pairs(
    model: Model,
    pairs: Sequence[tuple[Picture, Picture]],
    *,
    names: GroupNames | None = None,
    batch_size: int = 64,
) -> list[Explanation]:
    """Explain pairs, in order. A picture in several pairs is read and embedded once.

    Args:
        model: What scores them.
        pairs: Paths, PIL images, or uint8 arrays (height, width, 3).
        names: What the model's groups are called.
        batch_size: How many pictures go through the network at once.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: The model's head has no tokens to explain with, or the names do not fit it.
    """
    if not hasattr(model.head, "tokens"):
        name = type(model.head).__name__
        raise UsageError(f"{name} has no tokens: a head needs `tokens(maps)` to be explained")
    distinct = {_key(picture): picture for pair in pairs for picture in pair}
    pictures = list(distinct.values())
    seen: list[_Seen] = []
    for start in range(0, len(pictures), batch_size):
        seen += _look(model, pictures[start : start + batch_size])
    by_key = dict(zip(distinct, seen, strict=True))
    explained = [
        _account(model, by_key[_key(a)], by_key[_key(b)], names=(name_of(a, "A"), name_of(b, "B")))
        for a, b in pairs
    ]
    return explained if names is None else [named(why, names) for why in explained]


def _key(picture: Picture) -> Hashable:
    return str(picture) if isinstance(picture, str | Path) else id(picture)


@dataclass(frozen=True, slots=True)
class _Seen:
    """One picture, as shown and as the network saw it; the tensors are rows of a batch."""

    pictured: Pictured
    embedding: Embedding
    tokens: Tokens
    attention: Float[Tensor, "1 g h w"]


@torch.no_grad()
def _look(model: Model, pictures: Sequence[Picture]) -> list[_Seen]:
    """Read pictures as `Model.embed` does; keep what explanations need of one forward pass."""
    p = model.preprocessing
    read = [read_for(picture, p) for picture in pictures]
    with evaluating(model):
        maps = model.features(to_inputs(read, p).to(model.device))
        known = model.head.breakdown(maps)
    # The score comes from the embedding. If the embedding were summed from the tokens, the gap
    # would always be zero and would check nothing.
    embedding, tokens = known.embedding.to("cpu"), known.tokens.to("cpu")
    attention = known.weights().to("cpu")
    return [
        _Seen(
            pictured=pictured(source, image, p, side="A"),
            embedding=embedding[i],
            tokens=tokens[i : i + 1],
            attention=attention[i : i + 1],
        )
        for i, (source, image) in enumerate(zip(pictures, read, strict=True))
    ]


def _account(model: Model, a: _Seen, b: _Seen, *, names: tuple[str, str]) -> Explanation:
    similarity = model.similarity
    score = float(similarity.pairs(a.embedding, b.embedding))
    if not np.isfinite(score):
        raise LookalikeError(
            f"the score of {names[0]} and {names[1]} is {score}: nothing to explain"
        )
    account = similarity.account(a, b)
    maps, calibration = account.maps, model.calibration
    return Explanation(
        score=score,
        groups=tuple(map(Contribution, account.groups, account.values[0].tolist())),
        maps=(_array(maps.a), _array(maps.b)),
        attention=(_array(a.attention), _array(b.attention)),
        regions=_array(account.regions),
        pictures=(replace(a.pictured, name=names[0]), replace(b.pictured, name=names[1])),
        percentile_same=None if calibration is None else calibration.percentile_same(score),
        percentile_different=(
            None if calibration is None else calibration.percentile_different(score)
        ),
        together=maps.together,
        nodes=nodes_of(account, (a.tokens, b.tokens)),
    )


def _array(values: Tensor) -> Array:
    array: Array = values[0].double().cpu().numpy()
    return array
