"""Split the score of one pair in every way that an explanation shows."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from lookalike.explanation.account.explanation import Array, Contribution
from lookalike.explanation.account.nodes import Floats, Nodes, trace_nodes
from lookalike.protocols import Similarity
from lookalike.similarity import GraphSimilarity
from lookalike.similarity.graph import places as graph_places
from lookalike.types import Embedding, PairMaps, Tokens

EXACT = torch.float64
"""What an account is given in: a gap is then that of the model's numbers, not of adding them up."""


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """One score, taken apart; `Explanation` says what each of these is."""

    groups: tuple[Contribution, ...]
    maps: tuple[Array, Array]
    together: bool
    regions: Array
    nodes: tuple[Nodes, ...] = ()


def split(
    similarity: Similarity,
    embeddings: tuple[Embedding, Embedding],
    tokens: tuple[Tokens, Tokens],
    edges: Sequence[Floats],
) -> Split:
    """Split the score of one pair by group, by position and by pair of positions.

    Args:
        similarity: What scores the pair.
        embeddings: Of either picture, one row each.
        tokens: Likewise.
        edges: In a graph, ω̃ of the upper levels, from `edges_of`.
    """
    a, b = (embedding.to(EXACT) for embedding in embeddings)
    if isinstance(similarity, GraphSimilarity):
        return _split_graph(trace_nodes(similarity, (a, b), tokens, edges), tokens)
    parts = similarity.parts(a, b)
    groups = map(Contribution, parts.names, parts.values[0].tolist())
    places = tuple(each.to(EXACT) for each in tokens)
    maps, regions = similarity.maps(*places), similarity.regions(*places)
    return Split(tuple(groups), _arrays(maps), maps.together, regions[0].numpy())


def _split_graph(nodes: tuple[Nodes, ...], tokens: tuple[Tokens, Tokens]) -> Split:
    """Read the levels, which are the groups, and the positions off one trace of the nodes.

    Positions are taken in the precision of the tokens. Two fine maps have hundreds of millions of
    products, whose rounding moves the sum by some 1e-8.
    """
    precision = tokens[0].levels[0].dtype
    sensitivity = tuple(torch.from_numpy(lv.sensitivity)[None].to(precision) for lv in nodes)
    maps = graph_places.maps_of_levels(sensitivity, *tokens)
    return Split(
        groups=tuple(Contribution(lv.name, float(lv.contribution.sum())) for lv in nodes),
        maps=_arrays(maps),
        together=maps.together,
        regions=graph_places.regions(sensitivity, *tokens)[0].to(EXACT).numpy(),
        nodes=nodes,
    )


def _arrays(maps: PairMaps) -> tuple[Array, Array]:
    return maps.a[0].to(EXACT).numpy(), maps.b[0].to(EXACT).numpy()
