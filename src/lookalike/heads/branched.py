"""What the ensemble and M-heads share: learners that branch off a backbone (METHODS 2).

Shape letters here, beside the usual ones: k channels, v and u the height and width of a learner's
last map.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Annotated

import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor, nn

from lookalike.accounts import Breakdown
from lookalike.backbones import Network, cut
from lookalike.backbones.stage_sequence import StageSequence
from lookalike.heads.base import HeadBase
from lookalike.heads.grouped import TOKEN_LENGTH, group_norms
from lookalike.types import Embedding, FeatureMaps, Level, Tokens


class Branched(HeadBase):
    """What the configs of heads that take over the backbone's last stages share."""

    groups: Annotated[int, Field(ge=1)] = 8
    """Learners M; each gets dim // groups numbers."""
    branch: int | str = -2
    """The stage with which the learners' part begins, by number or name, all after it included;
    negative counts from the last. -2 is inception4 of GoogLeNet and layer3 of ResNet-50."""

    @abstractmethod
    def build(self, upper: StageSequence, *, channels: int, dim: int) -> "BranchedHead":
        """Build the head on a backbone's last stages; each learner gets dim // groups.

        Args:
            upper: The backbone's stages from `branch` on; they become the head's own.
            channels: Of the map before them.
            dim: Numbers of all learners together.

        Raises:
            ConfigError: There are fewer numbers than learners, or the stages do not fit the head.
        """

    def attach(self, backbone: Network, dim: int) -> tuple[Network, "BranchedHead"]:
        """Cut the backbone before `branch`, and build the head on what follows."""
        lower, upper = cut(backbone, self.branch)
        return lower, self.build(upper, channels=lower.channels[-1], dim=dim)

    @property
    def top_stage(self) -> int | str:
        """The last stage: the learners run all stages after the branch."""
        return -1


class BranchedHead(nn.Module, ABC):
    """A head whose learners run the backbone's last stages themselves, one vector each.

    A learner's vector is `W · avgpool(g) + b`, with g its last map: the token at a position is
    (W g_hw + b) / HW, and law 1 holds at each learner's last map. The model's backbone ends where
    the learners begin. Pooling between the two is done here, once for all learners.

    Args:
        pooling: Between the backbone and the learners.
        groups: Number of learners.
        dim: Numbers in each learner's vector.
    """

    shows = TOKEN_LENGTH

    def __init__(self, pooling: nn.Sequential, *, groups: int, dim: int) -> None:
        super().__init__()
        self.levels = 1
        self.groups = groups
        self.dim = dim
        self.pooling = pooling

    @abstractmethod
    def learn(
        self, x: Float[Tensor, "n c h w"]
    ) -> tuple[Float[Tensor, "n g k v u"], Float[Tensor, "n g c h w"] | None]:
        """Return each learner's last map, and its mask if the method has masks.

        Args:
            x: What all learners read.
        """

    @abstractmethod
    def project(self, features: Float[Tensor, "n g p k"]) -> Float[Tensor, "n g p d"]:
        """Apply each learner's linear layer to features of its last map."""

    @abstractmethod
    def pretrained_parameters(self) -> Iterator[nn.Parameter]:
        """Yield what started from the backbone's weights, and is trained as the backbone is."""

    def shared(self, maps: FeatureMaps) -> Float[Tensor, "n c h w"]:
        """Return what all learners read: the backbone's last map, after the pooling if any."""
        pooled: Tensor = self.pooling(maps.stages[-1])
        return pooled

    def forward(self, maps: FeatureMaps) -> Embedding:
        """Return the embedding, one level of unit vectors."""
        last, masks = self.learn(self.shared(maps))
        return self._embedding(self._vectors(last), masks)

    def tokens(self, maps: FeatureMaps) -> Tokens:
        """Return the embedding before its sum over positions (law 1)."""
        last, _ = self.learn(self.shared(maps))
        return self._tokens(last)

    def breakdown(self, maps: FeatureMaps) -> Breakdown:
        """Return everything that the head knows of these pictures; the learners run once."""
        x = self.shared(maps)
        last, masks = self.learn(x)
        vectors = self._vectors(last)
        return Breakdown(
            embedding=self._embedding(vectors, masks),
            tokens=self._tokens(last),
            vectors=(vectors,),
            norms=(group_norms(vectors),),
            read=(last.flatten(1, 2),),
            attended=last[:, 0] if masks is None else x,
            attention=None if masks is None else _mean_mask(masks),
            masks=masks,
        )

    def _vectors(self, last: Float[Tensor, "n g k v u"]) -> Float[Tensor, "n g d"]:
        return self.project(last.mean(dim=(3, 4))[:, :, None])[:, :, 0]

    def _embedding(
        self, vectors: Float[Tensor, "n g d"], masks: Float[Tensor, "n g c h w"] | None
    ) -> Embedding:
        overlap = _overlap(masks) if self.training and masks is not None else None
        return Embedding((Level(vectors / group_norms(vectors), overlap=overlap),))

    def _tokens(self, last: Float[Tensor, "n g k v u"]) -> Tokens:
        height, width = last.shape[3:]
        projected = self.project(last.flatten(3).transpose(2, 3))
        tokens = projected / (height * width)
        norms = group_norms(tokens.sum(dim=2))
        return Tokens((tokens / norms[:, :, None],), ((height, width),))


def _mean_mask(masks: Float[Tensor, "n g c h w"]) -> Float[Tensor, "n g h w"]:
    """Return the mean of each mask over its channels, as shares of the positions."""
    mean = masks.mean(dim=2)
    return mean / mean.sum(dim=(2, 3), keepdim=True)


def _overlap(masks: Float[Tensor, "n g c h w"]) -> Float[Tensor, "n g g"]:
    """Return the cosines between the masks of each picture, in float32 at least."""
    with torch.autocast(masks.device.type, enabled=False):
        flat = masks.flatten(2).to(torch.promote_types(masks.dtype, torch.float32))
        products = flat @ flat.transpose(1, 2)
        norms = group_norms(flat)
        return products / norms / norms.transpose(1, 2)


def xavier(layer: nn.Linear | nn.Conv2d, *, learners: int = 1) -> None:
    """Initialise a layer as Glorot and Bengio (2010) do, uniformly, with a bias of zero.

    Args:
        layer: Changed in place.
        learners: How many learners share the layer's outputs; each gets the range that a layer of
            its own would have.
    """
    assert layer.bias is not None
    for own in layer.weight.detach().chunk(learners):
        nn.init.xavier_uniform_(own)
    nn.init.zeros_(layer.bias)
