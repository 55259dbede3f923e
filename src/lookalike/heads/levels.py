"""AVSL: nodes of several stages, for a graph (Zhang et al. 2022, arXiv 2203.14932; METHODS 3)."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Annotated, ClassVar, Literal, cast

import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional

from lookalike.accounts import Breakdown, MapMeaning
from lookalike.backbones import Network
from lookalike.errors import ConfigError
from lookalike.heads.base import HeadBase, read_stage
from lookalike.heads.cams import CertaintyRule, certainties, linearise, link, pool, shares
from lookalike.heads.grouped import group_norms
from lookalike.types import Embedding, FeatureMaps, Level, Tokens

NODE_RESPONSE = MapMeaning(
    "node's response",
    "Node's response: each node of the highest level, measured from where it responds least, as "
    "shares of all positions.",
)


class Levels(HeadBase):
    """A level of `dim` nodes for each of several stages; each node is one number."""

    similarity: ClassVar[str] = "graph"

    kind: Literal["levels"] = "levels"
    stages: Annotated[tuple[int | str, ...], Field(min_length=1)] = (-3, -2, -1)
    """The backbone's maps to read, low to high, by number or name; negative from the last."""
    certainty_rule: CertaintyRule = "global"
    """Which minimum is subtracted from a node's map: over all positions ("global", the paper) or
    over each row of positions ("rowwise", the released code)."""

    def build(
        self, channels: tuple[int, ...], dim: int, names: tuple[str, ...] = ()
    ) -> "LevelsHead":
        """Build the head for a backbone with these stages; each level gets `dim` nodes.

        Raises:
            ConfigError: There is no such stage, or they are not in order.
        """
        stages = [read_stage(stage, channels, names, key="head.stages") for stage in self.stages]
        if any(low >= high for low, high in pairwise(stages)):
            raise ConfigError(
                f"head.stages = {list(self.stages)}: list each stage once, from low to high"
            )
        return LevelsHead(
            [channels[stage] for stage in stages],
            nodes=dim,
            stages=stages,
            certainty_rule=self.certainty_rule,
        )

    def attach(self, backbone: Network, dim: int) -> tuple[Network, "LevelsHead"]:
        """Build the head on a backbone, which stays whole."""
        return backbone, self.build(backbone.channels, dim, backbone.names)

    @property
    def top_stage(self) -> int | str:
        """The highest stage that the head reads."""
        return self.stages[-1]


class LevelsHead(nn.Module):
    """`e^l = h^l(avgpool(z^l) + maxpool(z^l))`, divided by its norm; a node is one number of it.

    The token of a node at a position is its CAM there / (HW · norm), with the max of each channel
    at the position where it was found. So an explanation splits every node exactly over positions.
    A node responds to one linear feature: its map shows where that is, not what a person would call
    it.

    In train mode only the vectors carry gradient. Certainties and links are numbers about the
    maps: what weighs the nodes must not change the features that they are made from (METHODS
    3.6). A loss on the graph's final distance, where the differences of the nodes are detached
    too, then trains only the parameters of the reliability. In eval mode certainties carry
    gradient as well, so that a gradient of the score is that of the score that is shown.

    Args:
        channels: Channels of the map of each level, low to high.
        nodes: Nodes of each level r.
        stages: Which of the backbone's maps each level reads.
        certainty_rule: See `lookalike.heads.cams.shares`.
    """

    shows = NODE_RESPONSE

    def __init__(
        self,
        channels: Sequence[int],
        *,
        nodes: int,
        stages: Sequence[int],
        certainty_rule: CertaintyRule = "global",
    ) -> None:
        super().__init__()
        self.levels = len(stages)
        self.groups = nodes
        self.dim = 1
        self.stages = tuple(stages)
        self.certainty_rule: CertaintyRule = certainty_rule
        self.projections = nn.ModuleList(_projection(c, nodes) for c in channels)

    def cams(self, z: Float[Tensor, "n c h w"], level: int) -> Float[Tensor, "n r h w"]:
        """Return the CAM of each node of a level: its mean over positions is the node.

        It is computed in float32 at least, as small differences of it are used.

        Args:
            z: The map that the level reads.
            level: Which level; negative counts from the last.
        """
        projection = cast(nn.Linear, self.projections[level])
        with torch.autocast(z.device.type, enabled=False):
            flat = linearise(_full_precision(z)).flatten(2).transpose(1, 2)
            weight, bias = map(_full_precision, (projection.weight, projection.bias))
            cams = functional.linear(flat, weight, bias)
        return cams.transpose(1, 2).view(len(z), self.groups, *z.shape[2:])

    def forward(self, maps: FeatureMaps) -> Embedding:
        """Return the embedding; in train mode with the links of this batch."""
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.training):
            cams = self._all_cams(maps)
            certainty = self._certainties(cams)
        vectors = self._vectors(maps)
        norms = [_norms(level) for level in vectors]
        return self._embedding(vectors, norms, cams, certainty)

    def tokens(self, maps: FeatureMaps) -> Tokens:
        """Return the embedding before its sum over positions (law 1)."""
        cams = self._all_cams(maps)
        return _tokens(cams, self._certainties(cams))

    def breakdown(self, maps: FeatureMaps) -> Breakdown:
        """Return everything that the head knows, with CAMs and certainties made once.

        Nodes are made from the pooled maps and tokens from the CAMs, as each is alone. The
        attention is the CAM of each node of the highest level as shares of the positions; the
        spread of these shares is the node's certainty.
        """
        cams = self._all_cams(maps)
        certainty = self._certainties(cams)
        vectors = self._vectors(maps)
        norms = tuple(_norms(level) for level in vectors)
        read = tuple(maps.stages[stage] for stage in self.stages)
        return Breakdown(
            embedding=self._embedding(vectors, norms, cams, certainty),
            tokens=_tokens(cams, certainty),
            vectors=vectors,
            norms=norms,
            read=read,
            attended=read[-1],
            attention=shares(cams[-1], self.certainty_rule),
        )

    def pretrained_parameters(self) -> Iterator[nn.Parameter]:
        """Yield nothing: all weights of the head are new."""
        yield from ()

    def _all_cams(self, maps: FeatureMaps) -> list[Tensor]:
        return [self.cams(maps.stages[stage], level) for level, stage in enumerate(self.stages)]

    def _certainties(self, cams: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Return the certainties of each level; in train mode without history."""
        with torch.autocast(cams[0].device.type, enabled=False):
            seen = [level.detach() if self.training else level for level in cams]
            return tuple(certainties(level, self.certainty_rule) for level in seen)

    def _vectors(self, maps: FeatureMaps) -> tuple[Float[Tensor, "n r 1"], ...]:
        """Pool each map and project it: the nodes before they are divided by their norm."""
        return tuple(
            self.projections[level](pool(maps.stages[stage]))[:, :, None]
            for level, stage in enumerate(self.stages)
        )

    def _embedding(
        self,
        vectors: Sequence[Float[Tensor, "n r 1"]],
        norms: Sequence[Float[Tensor, "n 1 1"]],
        cams: Sequence[Tensor],
        certainty: Sequence[Tensor],
    ) -> Embedding:
        links = self._links(cams) if self.training and len(cams[0]) else [None] * self.levels
        levels = zip(vectors, norms, certainty, links, strict=True)
        return Embedding(tuple(Level(v / norm, sure, link) for v, norm, sure, link in levels))

    @torch.no_grad()
    def _links(self, cams: Sequence[Tensor]) -> list[Tensor | None]:
        """Return the links of each level to the one below; the lowest has none."""
        with torch.autocast(cams[0].device.type, enabled=False):
            return [None, *(link(upper, below) for below, upper in pairwise(cams))]


def _norms(vectors: Float[Tensor, "n r 1"]) -> Float[Tensor, "n 1 1"]:
    """Return the norm of all nodes of a level together, to divide by."""
    return group_norms(vectors.transpose(1, 2))


def _tokens(cams: Sequence[Tensor], certainty: tuple[Tensor, ...]) -> Tokens:
    """Divide each CAM by its positions and by the norm of the vector that its nodes make."""
    tokens, grids = [], []
    for level in cams:
        h, w = level.shape[2:]
        norms = group_norms(level.mean(dim=(2, 3))[:, None])
        tokens.append((level.flatten(2) / (h * w * norms))[..., None])
        grids.append((h, w))
    return Tokens(tuple(tokens), tuple(grids), certainty)


def _projection(channels: int, nodes: int) -> nn.Linear:
    projection = nn.Linear(channels, nodes)
    nn.init.kaiming_normal_(projection.weight, mode="fan_out")
    nn.init.zeros_(projection.bias)
    return projection


def _full_precision(tensor: Tensor) -> Tensor:
    return tensor.to(torch.promote_types(tensor.dtype, torch.float32))
