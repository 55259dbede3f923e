"""Explain pairs of pictures: one pass of the network for all of them."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from PIL import Image
from torch import Tensor

from lookalike.data.images import Picture, decode, read_for, size_of, to_inputs
from lookalike.errors import LookalikeError, UsageError
from lookalike.explanation.account import Contribution, Explanation, Pictured
from lookalike.explanation.graph_nodes import Floats, Nodes, by_level, edges_of, trace_nodes
from lookalike.model import Model, evaluating
from lookalike.preprocessing import Geometry, Preprocessing
from lookalike.similarity import GraphSimilarity
from lookalike.types import Embedding, Tokens

SHOWN_SIDE = 640
"""Longer side of the pictures that an explanation carries for drawing, pixels at most."""


def explain(model: Model, a: Picture, b: Picture) -> Explanation:
    """Say exactly what the score of two pictures is made of.

    Args:
        model: What scores them.
        a: A path, a PIL image, or a uint8 array (height, width, 3).
        b: Another, or the same.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: The model's head has no tokens to explain with.
    """
    return explain_pairs(model, [(a, b)])[0]


def explain_pairs(
    model: Model, pairs: Sequence[tuple[Picture, Picture]], *, batch_size: int = 64
) -> list[Explanation]:
    """Explain many pairs, in order; a picture in several of them is read and embedded once.

    Args:
        model: What scores them.
        pairs: Paths, PIL images, or uint8 arrays (height, width, 3).
        batch_size: How many pictures go through the network at once.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: The model's head has no tokens to explain with.
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
    edges = edges_of(model.similarity) if isinstance(model.similarity, GraphSimilarity) else ()
    return [
        _account(
            model,
            by_key[_key(a)],
            by_key[_key(b)],
            names=(_name(a, "A"), _name(b, "B")),
            edges=edges,
        )
        for a, b in pairs
    ]


def _key(picture: Picture) -> Hashable:
    return str(picture) if isinstance(picture, str | Path) else id(picture)


def _name(picture: Picture, side: str) -> str:
    if not isinstance(picture, str | Path):
        return f"picture {side}"
    # A path may hold bytes that are no text; they must not stop a page from being written.
    return str(picture).encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True, slots=True)
class _Seen:
    """One picture, as shown and as the network saw it; the tensors are rows of a batch."""

    picture: Image.Image
    geometry: Geometry
    embedding: Embedding
    tokens: Tokens
    attention: Float[Tensor, "1 g h w"]


@torch.no_grad()
def _look(model: Model, pictures: Sequence[Picture]) -> list[_Seen]:
    """Read pictures as `Model.embed` does, and keep what explaining needs of one forward pass."""
    p = model.preprocessing
    read = [read_for(picture, p) for picture in pictures]
    with evaluating(model):
        maps = model.features(to_inputs(read, p).to(model.device))
        # The score shown comes from here; were it summed from the tokens, the gap would be zero
        # by construction and tell nothing.
        embedding = model.head(maps).to("cpu")
        tokens = model.head.tokens(maps).to("cpu")
        attention = model.head.attention(maps).to("cpu")
    return [
        _Seen(
            picture=_shown(source, image, p),
            geometry=p.geometry(*size_of(source)),
            embedding=embedding[i],
            tokens=tokens[i : i + 1],
            attention=attention[i : i + 1],
        )
        for i, (source, image) in enumerate(zip(pictures, read, strict=True))
    ]


def _shown(source: Picture, read: Image.Image, p: Preprocessing) -> Image.Image:
    """Return the picture for drawing; one that was decoded too small for that is read again."""
    if max(read.size) < min(SHOWN_SIDE, max(size_of(source))):
        read = decode(source, background=p.background, draft_side=SHOWN_SIDE)
    shown = read.copy()
    shown.thumbnail((SHOWN_SIDE, SHOWN_SIDE))
    return shown


def _account(
    model: Model, a: _Seen, b: _Seen, *, names: tuple[str, str], edges: tuple[Floats, ...]
) -> Explanation:
    similarity = model.similarity
    score = float(similarity.pairs(a.embedding, b.embedding))
    if not np.isfinite(score):
        raise LookalikeError(
            f"the score of {names[0]} and {names[1]} is {score}: nothing to explain"
        )
    exact = torch.float64
    embeddings = (a.embedding.to(exact), b.embedding.to(exact))
    tokens = (a.tokens.to(exact), b.tokens.to(exact))
    parts, maps = similarity.parts(*embeddings), similarity.maps(*tokens)
    nodes: tuple[Nodes, ...] = ()
    if isinstance(similarity, GraphSimilarity):
        parts, maps = by_level(parts, maps, similarity.levels)
        nodes = trace_nodes(similarity, embeddings, (a.tokens, b.tokens), edges)
    calibration = model.calibration
    return Explanation(
        score=score,
        groups=tuple(
            Contribution(name, value)
            for name, value in zip(parts.names, parts.values[0].tolist(), strict=True)
        ),
        maps=(maps.a[0].numpy(), maps.b[0].numpy()),
        attention=(a.attention[0].double().numpy(), b.attention[0].double().numpy()),
        regions=similarity.regions(*tokens)[0].numpy(),
        pictures=(
            Pictured(a.picture, a.geometry, names[0]),
            Pictured(b.picture, b.geometry, names[1]),
        ),
        percentile_same=None if calibration is None else calibration.percentile_same(score),
        percentile_different=(
            None if calibration is None else calibration.percentile_different(score)
        ),
        together=maps.together,
        nodes=nodes,
    )
