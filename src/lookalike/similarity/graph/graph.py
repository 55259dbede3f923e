"""Similarity as a graph that can be read (AVSL: Zhang et al., CVPR 2022; METHODS 3)."""

from dataclasses import replace
from typing import Annotated, ClassVar, Literal

import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from lookalike.accounts import NodeLevel, PairAccount, PairMaps, Parts
from lookalike.config import Config
from lookalike.protocols import Bound, Described, Matrices
from lookalike.similarity.graph import places as graph_places
from lookalike.similarity.graph.bound import GraphBound
from lookalike.similarity.graph.inference import Descent, GraphSide, Wiring, ascend, trace
from lookalike.similarity.graph.links import RunningLinks
from lookalike.types import Embedding, Level, Tokens

PAIRS = 512
"""Pairs in a block on the CPU: its buffers, 1 MiB each at 512 nodes, stay in the cache."""
PAIRS_ON_DEVICE = 32768
"""Pairs in a block elsewhere: buffers of 64 MiB each at 512 nodes."""
TILE = 32
"""The most rows in a block of all against all."""
TRAINED_PAIRS = 8192
"""Pairs whose history is held at once."""


class Graph(Config):
    """Nodes of several levels; the less reliable a node is, the more those below it count."""

    kind: Literal["graph"] = "graph"
    matrices_of: ClassVar[Matrices] = "levels"
    k: Annotated[int, Field(ge=1)] = 128
    """How many links to the level below a node keeps: the strongest."""
    kappa: Annotated[float, Field(gt=0)] = 10.0
    """How steeply reliability rises with certainty."""
    momentum: Annotated[float, Field(ge=0, lt=1)] = 0.5
    """How much of the links stays with each update."""

    def build(self, groups: int, levels: int = 1) -> "GraphSimilarity":
        """Build the similarity for embeddings with this many nodes in each level."""
        return GraphSimilarity(self, nodes=groups, levels=levels)


class GraphSimilarity(nn.Module):
    """`s(x, x') = −d̂`: squared differences of nodes, corrected by those of the levels below.

    The reliability of a node in a pair is `sigmoid(κ (α η + β))`: η is the product of its
    certainties in the two pictures, and α and β are learnt for each node. In the lowest level it is
    1. The less reliable a node is, the more of its difference is replaced by those of the nodes it
    is linked to below. With one level the distance is the squared Euclidean one.

    Args:
        config: The numbers.
        nodes: Nodes of each level r.
        levels: L, at least 1.

    Attributes:
        alpha: α of the upper levels, L − 1 of r each.
        beta: β, likewise.
        links: How alike nodes of neighbouring levels respond; averaged over training batches.
    """

    inner_product = False
    lowest = -float("inf")
    splits_difference = True
    matrices_of = Graph.matrices_of

    def __init__(self, config: Graph, *, nodes: int, levels: int) -> None:
        super().__init__()
        self.config = config
        self.nodes = nodes
        self.levels = levels
        upper = levels - 1
        self.alpha = nn.Parameter(torch.ones(upper, nodes), requires_grad=upper > 0)
        self.beta = nn.Parameter(torch.zeros(upper, nodes), requires_grad=upper > 0)
        self.links = RunningLinks(levels, nodes, k=config.k, momentum=config.momentum)

    @property
    def matrices(self) -> int:
        """How many matrices the losses read: one for each level, and the final one."""
        return self.levels + 1

    def unit_vectors(self, level: Level) -> Float[Tensor, "n 1 r"]:
        """Return what has a norm of 1 in a level: all of its nodes together."""
        return level.vectors.transpose(1, 2)

    def observe(self, embedding: Embedding) -> None:
        """Take in the links of a training batch, before the batch itself is scored.

        Raises:
            ValueError: The embedding has no links.
        """
        links = [level.links for level in embedding.levels[1:] if level.links is not None]
        if len(links) != self.levels - 1:
            raise ValueError(
                f"a batch of {self.levels} levels needs links of {self.levels - 1} levels, got "
                f"{len(links)}: pass the embedding that the head gives in train mode"
            )
        if links:
            self.links.observe(torch.stack(links), images=len(embedding))

    def settle(self) -> None:
        """End an update of the links: the batches observed since the last one count as one."""
        self.links.settle()

    def forget(self) -> None:
        """Forget all links; the next update sets them."""
        self.links.forget()

    @torch.no_grad()
    def matrix(self, a: Embedding, b: Embedding) -> Float[Tensor, "n m"]:
        """Score all against all, block by block, without history.

        It takes half the time when both arguments are the same object: the distance is symmetric.
        """
        left, right = self._side(a), self._side(b)
        scores = left.vectors[0].new_empty(len(a), len(b))
        rows = min(TILE, max(1, len(a)))
        columns = max(1, _pairs_at_once(scores) // rows)
        descent = Descent(self._wiring(scores), rows * columns)
        for i in range(0, len(a), rows):
            here = left.rows(slice(i, i + rows)).along(1)
            for j in range(i if b is a else 0, len(b), columns):
                tile = descent(here, right.rows(slice(j, j + columns)).along(0)).neg_()
                scores[i : i + rows, j : j + columns] = tile
                if b is a:
                    scores[j : j + columns, i : i + rows] = tile.T
        return scores

    def pairs(self, a: Embedding, b: Embedding, *, history: bool = False) -> Float[Tensor, " n"]:
        """Score row by row; with `history`, gradients reach nodes and certainties."""
        left, right = self._side(a), self._side(b)
        wiring = self._wiring(left.vectors[0])
        if history:
            return -ascend(wiring, left, right)
        with torch.no_grad():
            scores = left.vectors[0].new_empty(len(a))
            step = _pairs_at_once(scores)
            descent = Descent(wiring, min(len(a), step))
            for i in range(0, len(a), step):
                rows = slice(i, i + step)
                scores[rows] = descent(left.rows(rows), right.rows(rows)).neg_()
        return scores

    @torch.no_grad()
    def trace(self, a: Embedding, b: Embedding) -> tuple[NodeLevel, ...]:
        """Return every node of each pair, row by row, levels from low to high."""
        left, right = self._side(a), self._side(b)
        lowest, *upper = trace(self._wiring(left.vectors[0]), left, right)
        linked = (
            replace(level, links=links) for level, links in zip(upper, self.links.kept, strict=True)
        )
        return (lowest, *linked)

    def sensitivity(self, a: Embedding, b: Embedding) -> tuple[Float[Tensor, "n r"], ...]:
        """Return λ = ∂d̂/∂δ of every node, level by level from low to high."""
        return tuple(level.sensitivity for level in self.trace(a, b))

    def parts(self, a: Embedding, b: Embedding) -> Parts:
        """Return each pair's contribution −λδ of every node, levels from low to high."""
        values = torch.cat([-level.contribution for level in self.trace(a, b)], dim=1)
        levels, nodes = range(self.levels), range(self.nodes)
        return Parts(
            values,
            tuple(f"level {level + 1}, node {node}" for level in levels for node in nodes),
            groups=self._level_names(),
            group_of=tuple(level for level in levels for _ in nodes),
        )

    def _level_names(self) -> tuple[str, ...]:
        return tuple(f"level {number}" for number in range(1, self.levels + 1))

    @torch.no_grad()
    def candidates(self, e: Embedding) -> Float[Tensor, "n all"]:
        """Return all levels' nodes side by side, each by the root of its usual weight.

        The squared Euclidean distance of two of them is the d̂ of pictures without any certainty,
        where every reliability is sigmoid(κβ). It is near d̂, but is no bound of it.
        """
        side = self._side(e)
        wiring = self._wiring(side.vectors[0])
        usual = torch.sigmoid(wiring.shift)
        weight = torch.ones_like(side.vectors[0][0])
        vectors = []
        for level in range(self.levels - 1, 0, -1):
            p = usual[level - 1]
            vectors.append(side.vectors[level] * (weight * p).sqrt())
            weight = (weight * (1 - p)) @ wiring.edges[level - 1]
        vectors.append(side.vectors[0] * weight.sqrt())
        return torch.cat(vectors[::-1], dim=1)

    def bound(self, query: Embedding, gallery: Embedding) -> Bound:
        """Return upper bounds of the scores, tile by tile; they cost far less than scores."""
        left, right = self._side(query), self._side(gallery)
        return GraphBound(self._wiring(left.vectors[0]), left, right)

    def maps(self, a: Tokens, b: Tokens) -> PairMaps:
        """Split each node's contribution over the positions of both pictures, row by row.

        With `D = ẽ − ẽ'`, position x of the first picture gives −λ D t_x, position y of the second
        λ D t'_y. A part is the sum over both pictures together. Levels with fewer positions are
        spread over the positions of the finest level.
        """
        sensitivity = self.sensitivity(a.embedding(), b.embedding())
        return graph_places.maps(sensitivity, a, b)

    def regions(self, a: Tokens, b: Tokens) -> Float[Tensor, "n pa pb"]:
        """Split each pair's score over pairs of positions, row by row.

        A node's −λδ is `−λ (ẽ² + ẽ'² − 2 ẽẽ')`. The product is split over pairs of positions as in
        a cosine. The squares, each of one picture, are spread evenly over the positions of the
        other picture.
        """
        sensitivity = self.sensitivity(a.embedding(), b.embedding())
        return graph_places.regions(sensitivity, a, b)

    def shared(self, a: Tokens, b: Tokens) -> PairMaps:
        """Return, for each level, what each picture shares with the other, row by row."""
        return graph_places.shared(self.sensitivity(a.embedding(), b.embedding()), a, b)

    @torch.no_grad()
    def account(self, a: Described, b: Described) -> PairAccount:
        """Split each score by level, by position and by pair of positions; a pair is traced once.

        Nodes are traced in float64. Positions are split in the precision of the tokens: two fine
        maps have hundreds of millions of products, whose rounding moves the sum by some 1e-8.
        """
        exact = torch.float64
        nodes = self.trace(a.embedding.to(exact), b.embedding.to(exact))
        precision = a.tokens.levels[0].dtype
        sensitivity = tuple(level.sensitivity.to(precision) for level in nodes)
        return PairAccount(
            groups=self._level_names(),
            values=torch.stack([-level.contribution.sum(1) for level in nodes], dim=1),
            maps=graph_places.maps_of_levels(sensitivity, a.tokens, b.tokens),
            regions=graph_places.regions(sensitivity, a.tokens, b.tokens),
            nodes=nodes,
        )

    def cosines(self, a: Embedding, b: Embedding) -> Float[Tensor, "g n m"]:
        """Return what the losses read: the cosines of each level, low to high, then `1 − d̂/2`.

        The last one has the history of α and β alone: its nodes are detached (METHODS 3.6).

        Args:
            a: The batch.
            b: The batch again, or proxies: where these have no certainty, they get the mean
                certainty of the batch.
        """
        sure = tuple(level.certainty for level in a.levels)
        left, right = self._side(a), self._side(_with_certainty(b, sure))
        levels = [x @ y.T for x, y in zip(left.vectors, right.vectors, strict=True)]
        final = 1 - self._final(left.detach().along(1), right.detach().along(0)) / 2
        return torch.stack([*levels, final])

    def _final(self, a: GraphSide, b: GraphSide) -> Float[Tensor, "n m"]:
        """Return d̂ of all against all; its history is recomputed one block at a time."""
        wiring = self._wiring(a.vectors[0])
        rows = max(1, TRAINED_PAIRS // max(1, b.vectors[0].shape[1]))
        blocks = [
            checkpoint(
                ascend,
                wiring,
                a.rows(slice(i, i + rows)),
                b,
                use_reentrant=False,
                preserve_rng_state=False,
            )
            for i in range(0, max(1, len(a)), rows)
        ]
        return torch.cat(blocks)

    def _wiring(self, like: Tensor) -> Wiring:
        scale, shift = self.config.kappa * self.alpha, self.config.kappa * self.beta
        return Wiring(scale.to(like), shift.to(like), self.links.kept.to(like))

    def _side(self, e: Embedding) -> GraphSide:
        shapes = [tuple(level.vectors.shape[1:]) for level in e.levels]
        if shapes != [(self.nodes, 1)] * self.levels:
            raise ValueError(
                f"a graph of {self.levels} levels of {self.nodes} nodes needs as many numbers, "
                f"got levels of (nodes, numbers) {shapes}: was this embedded by another model?"
            )
        vectors = tuple(_full_precision(level.vectors).squeeze(2) for level in e.levels)
        certainty = tuple(
            level.certainty.to(vectors[0]) for level in e.levels[1:] if level.certainty is not None
        )
        if len(certainty) != self.levels - 1:
            raise ValueError(
                "a graph needs the certainty of every node above the lowest level: pass the "
                "embedding as the head gave it"
            )
        return GraphSide(vectors, certainty)


def _pairs_at_once(scores: Tensor) -> int:
    return PAIRS if scores.device.type == "cpu" else PAIRS_ON_DEVICE


def _full_precision(tensor: Tensor) -> Tensor:
    return tensor.to(torch.promote_types(tensor.dtype, torch.float32))


def _with_certainty(e: Embedding, batch: tuple[Tensor | None, ...]) -> Embedding:
    """Fill in missing certainties by the mean of those of a batch."""
    levels = []
    for level, sure in zip(e.levels, batch, strict=True):
        certainty = level.certainty
        if certainty is None and sure is not None:
            certainty = sure.mean(dim=0).expand(len(e), -1)
        levels.append(Level(level.vectors, certainty))
    return Embedding(tuple(levels))
