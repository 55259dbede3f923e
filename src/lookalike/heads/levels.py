"""AVSL: nodes of several stages, for a graph (Zhang et al. 2022, arXiv 2203.14932; METHODS 3)."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Literal, cast

import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional

from lookalike.config import Config
from lookalike.errors import ConfigError
from lookalike.heads.cams import CertaintyRule, certainties, linearise, link, pool, shares
from lookalike.heads.grouped import group_norms, read_stage
from lookalike.types import Breakdown, Embedding, FeatureMaps, Level, Tokens


class Levels(Config):
    """A level of `dim` nodes at each of several stages; each node is one number."""

    kind: Literal["levels"] = "levels"
    stages: Annotated[tuple[int | str, ...], Field(min_length=1)] = (-3, -2, -1)
    """The backbone's maps to read, low to high, by number or name; negative from the last."""
    certainty_rule: CertaintyRule = "global"
    """What a node's map is measured from: its minimum over all positions ("global", the paper) or
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


class LevelsHead(nn.Module):
    """`e^l = h^l(avgpool(z^l) + maxpool(z^l))`, divided by its norm; a node is one number of it.

    The token of a node at a position is its CAM there / (HW · norm), the max of each channel
    placed where it was found, so an explanation splits every node over positions, exactly. A node
    responds to one linear feature: its map says where that is, not what a person would call it.

    Only the vectors carry gradient. Certainties and links are numbers about the maps: what
    weighs the nodes must not move the features they are made from (METHODS 3.6), so that a loss on
    the graph's final distance, where the nodes' differences are detached too, trains the
    reliability's own parameters alone.

    Args:
        channels: Channels of the map of each level, low to high.
        nodes: Nodes of each level r.
        stages: Which of the backbone's maps each level reads.
        certainty_rule: See `lookalike.heads.cams.shares`.
    """

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

        It is taken in float32 at least: what is read off it are small differences.

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
        with torch.no_grad():
            cams = self._all_cams(maps)
            certainty = self._certainties(cams)
        return self._embedding(maps, cams, certainty)

    def tokens(self, maps: FeatureMaps) -> Tokens:
        """Return the embedding before its sum over positions (law 1)."""
        cams = self._all_cams(maps)
        return _tokens(cams, self._certainties(cams))

    def attention(self, maps: FeatureMaps) -> Float[Tensor, "n r h w"]:
        """Return where each node of the highest level responds: its CAM as shares of positions.

        These are the shares whose spread is the node's certainty.
        """
        return shares(self.cams(maps.stages[self.stages[-1]], -1), self.certainty_rule)

    def breakdown(self, maps: FeatureMaps) -> Breakdown:
        """Return embedding, tokens and attention, with CAMs and certainties made once.

        The nodes are made from the pooled maps, the tokens from the CAMs, as they are alone.
        """
        cams = self._all_cams(maps)
        certainty = self._certainties(cams)
        return Breakdown(
            self._embedding(maps, cams, certainty),
            _tokens(cams, certainty),
            shares(cams[-1], self.certainty_rule),
        )

    def _all_cams(self, maps: FeatureMaps) -> list[Tensor]:
        return [self.cams(maps.stages[stage], level) for level, stage in enumerate(self.stages)]

    def _certainties(self, cams: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Return the certainties of each level, without history."""
        with torch.autocast(cams[0].device.type, enabled=False):
            return tuple(certainties(level.detach(), self.certainty_rule) for level in cams)

    def _embedding(
        self, maps: FeatureMaps, cams: Sequence[Tensor], certainty: Sequence[Tensor]
    ) -> Embedding:
        """Pool each map, project and divide by the norm; of the CAMs only links are made."""
        links = self._links(cams) if self.training and len(cams[0]) else [None] * self.levels
        levels = []
        for level, stage in enumerate(self.stages):
            nodes: Tensor = self.projections[level](pool(maps.stages[stage]))[:, None]
            vectors = (nodes / group_norms(nodes)).transpose(1, 2)
            levels.append(Level(vectors, certainty[level], links[level]))
        return Embedding(tuple(levels))

    @torch.no_grad()
    def _links(self, cams: Sequence[Tensor]) -> list[Tensor | None]:
        """Return the links of each level to the one below; the lowest has none."""
        with torch.autocast(cams[0].device.type, enabled=False):
            return [None, *(link(upper, below) for below, upper in pairwise(cams))]


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
