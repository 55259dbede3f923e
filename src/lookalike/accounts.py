"""What explanations are made of: a picture's embedding taken apart, and a pair's score taken apart.

Shape letters are those of `lookalike.types`; r nodes in a level of a graph.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.types import Embedding, Level, Tokens


@dataclass(frozen=True, slots=True)
class MapMeaning:
    """What the map of a group shows, in words.

    Args:
        name: In a word or two, for the side of a figure.
        sentence: In full, for beneath it.
        from_lowest: Values lie close together far above zero: draw them from the lowest one up.
    """

    name: str
    sentence: str
    from_lowest: bool = False


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Everything that a head knows of pictures, from one pass.

    Args:
        embedding: What is compared.
        tokens: The embedding before its sum over positions.
        vectors: n×g×d for each level, before they are divided by their norms; with history.
        norms: What the vectors of each level are divided by; it broadcasts against them.
        read: n×c×h×w for each level: the map whose positions the tokens are.
        attended: The map whose positions `attention` has.
        attention: Where each group looks: not negative, sums to one over the positions. None where
            the head weighs all positions alike.
        masks: What each learner of an ensemble lets through. None for other heads.
    """

    embedding: Embedding
    tokens: Tokens
    vectors: tuple[Tensor, ...]
    norms: tuple[Tensor, ...]
    read: tuple[Tensor, ...]
    attended: Float[Tensor, "n c h w"]
    attention: Float[Tensor, "n g h w"] | None = None
    masks: Float[Tensor, "n g c h w"] | None = None

    def weights(self) -> Float[Tensor, "n g h w"]:
        """Return the attention, or equal weights where the head weighs all positions alike."""
        if self.attention is not None:
            return self.attention
        n, _, h, w = self.attended.shape
        groups = self.vectors[-1].shape[1]
        return self.attended.new_full((1, 1, 1, 1), 1 / (h * w)).expand(n, groups, h, w)

    def with_constant_norms(self) -> Embedding:
        """Return the embedding with the history of the vectors alone, not of their norms."""
        levels = zip(self.vectors, self.norms, self.embedding.levels, strict=True)
        return Embedding(
            tuple(
                Level(
                    vectors / norms.detach(),
                    None if level.certainty is None else level.certainty.detach(),
                )
                for vectors, norms, level in levels
            )
        )


@dataclass(frozen=True, slots=True)
class Parts:
    """A score before its last sum: law 2 says that the sum over parts is the score.

    Args:
        values: One row for each pair, one column for each part, in score units.
        names: What each column is, e.g. "group 0".
        groups: The groups that the parts belong to: those of the head, or the levels of a graph.
        group_of: The number of the group of each part, in ascending order.
    """

    values: Float[Tensor, "n parts"]
    names: tuple[str, ...]
    groups: tuple[str, ...]
    group_of: tuple[int, ...]

    def __post_init__(self) -> None:
        counts = {self.values.shape[1], len(self.names), len(self.group_of)}
        if len(counts) != 1:
            raise ValueError(
                f"{self.values.shape[1]} parts need as many names and group numbers, got "
                f"{len(self.names)} and {len(self.group_of)}"
            )

    def by_group(self) -> Float[Tensor, "n groups"]:
        """Return the sum of the parts of each group."""
        sums = self.values.new_zeros(len(self.values), len(self.groups))
        return sums.index_add_(
            1, torch.tensor(self.group_of, device=self.values.device), self.values
        )


@dataclass(frozen=True, slots=True)
class PairMaps:
    """Where in each picture of a pair the score comes from, in score units.

    The maps sum over positions to the parts of the score, and so, over all, to the score itself.
    Where the score is a product, the maps of either picture do. Where it is a difference, the maps
    of both pictures together do.

    Args:
        a: Maps over the first pictures, one for each part.
        b: Maps over the second pictures.
        together: Whether the maps of both pictures must be added up to give the parts.
    """

    a: Float[Tensor, "n parts ha wa"]
    b: Float[Tensor, "n parts hb wb"]
    together: bool = False

    def sums(self) -> tuple[Float[Tensor, "n parts"], ...]:
        """Return what must equal the parts: each picture's sums, or those of both together."""
        a, b = self.a.sum(dim=(2, 3)), self.b.sum(dim=(2, 3))
        return (a + b,) if self.together else (a, b)


@dataclass(frozen=True, slots=True)
class NodeLevel:
    """The nodes of one level of a graph, pair by pair.

    Args:
        difference: δ, the squared difference of the two pictures at the node.
        reliability: p, in [0, 1]; 1 in the lowest level.
        weight: w, how much of the node reaches the distance from above; 1 in the highest level.
        rectified: δ̂, the difference after the levels below are taken into account.
        links: ω̃, how much each node takes from each node of the level below. None in the lowest
            level.
    """

    difference: Float[Tensor, "n r"]
    reliability: Float[Tensor, "n r"]
    weight: Float[Tensor, "n r"]
    rectified: Float[Tensor, "n r"]
    links: Float[Tensor, "r below"] | None = None

    @property
    def sensitivity(self) -> Float[Tensor, "n r"]:
        """λ = ∂d̂/∂δ = w p: how much the distance grows with the node's own difference."""
        return self.weight * self.reliability

    @property
    def contribution(self) -> Float[Tensor, "n r"]:
        """λδ: the node's share of the distance; the distance is their sum over all levels."""
        return self.sensitivity * self.difference


@dataclass(frozen=True, slots=True)
class PairAccount:
    """Scores of pairs, split in every way that an explanation shows.

    Args:
        groups: The names of the groups; in a graph, of the levels.
        values: What each group gives to the score of each pair.
        maps: Where each group's value comes from.
        regions: Each score split over pairs of positions: those of the first picture by those of
            the second.
        nodes: The levels of a graph, from low to high; empty for other similarities.
    """

    groups: tuple[str, ...]
    values: Float[Tensor, "n groups"]
    maps: PairMaps
    regions: Float[Tensor, "n pa pb"]
    nodes: tuple[NodeLevel, ...] = ()
