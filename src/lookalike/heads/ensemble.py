"""ABE-M: learners that put masks on shared features (Kim et al. 2018, arXiv 1804.00382)."""

from collections.abc import Iterator
from typing import Annotated, Literal

import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from lookalike.accounts import MapMeaning
from lookalike.backbones.cutting import copy_at_stride_one, split_pooling
from lookalike.backbones.stage_sequence import StageSequence, hold_batch_norm
from lookalike.errors import ConfigError
from lookalike.heads.base import share_of
from lookalike.heads.branched import Branched, BranchedHead, xavier
from lookalike.types import FeatureMaps

MASK = MapMeaning(
    "mask",
    "Mask: how much of the features the learner lets through at each position, the mean over all "
    "channels, measured from where it lets least through, as shares of all positions.",
    from_lowest=True,
)
PROBE = (8, 6)
"""Size of a map that shows whether a trunk keeps sizes."""


class Ensemble(Branched):
    """A mask for each learner over the same features; one network for all of them follows."""

    kind: Literal["ensemble"] = "ensemble"
    trunk: Annotated[int, Field(ge=1)] | None = None
    """Blocks of the branch's first stage that the masks are made with; None is all of them."""
    at_once: Annotated[int, Field(ge=1)] | None = None
    """Learners that go through the last stages together; None is all. Fewer need less memory and
    more time: in training they go through twice. The result is the same unless batch norm is
    trained, as it then sees smaller batches."""

    def build(self, upper: StageSequence, *, channels: int, dim: int) -> "EnsembleHead":
        """Build the head on a backbone's last stages.

        Raises:
            ConfigError: There are fewer numbers than learners, fewer blocks than `trunk`, or the
                blocks cannot keep the size of a map.
        """
        return EnsembleHead(self, upper, channels=channels, dim=share_of(dim, self.groups))


class EnsembleHead(BranchedHead):
    """`B_m(x) = G(S(x) ∘ A_m(S(x)))` of METHODS 2; the token at a position is (W g_hw + b) / HW.

    S is the model's backbone, up to and with the pooling before the branch. A_m is a mask of the
    shape of S(x). It is made by the trunk, which all learners share, and then by a 1×1 convolution
    and a sigmoid of the learner's own. The trunk is a copy of the branch's first stage at stride 1
    and starts from that stage's weights. G is the backbone's other stages, average pooling and a
    linear layer, one for all learners.

    An explanation names the learner and splits it exactly over positions of its last map. A mask
    has a number for every channel at every position. The mean over channels, on the finer grid of
    S, is the attention: it is high where the learner lets most through.

    Args:
        config: The numbers.
        upper: The backbone's last stages.
        channels: Channels c of the map before them.
        dim: Numbers in each learner's vector.

    Raises:
        ConfigError: There are fewer blocks than `trunk`, or they cannot keep the size of a map.
    """

    shows = MASK

    def __init__(self, config: Ensemble, upper: StageSequence, *, channels: int, dim: int) -> None:
        pooling, upper = split_pooling(upper)
        super().__init__(pooling, groups=config.groups, dim=dim)
        self.upper = upper
        self.at_once = min(config.at_once or config.groups, config.groups)
        first = next(iter(upper.stages.values()))
        self.trunk = copy_at_stride_one(first, blocks=config.trunk)
        self.gates = nn.Conv2d(_width(self.trunk, channels), config.groups * channels, 1)
        self.linear = nn.Linear(upper.channels[-1], dim)
        xavier(self.gates, learners=config.groups)
        xavier(self.linear)

    def train(self, mode: bool = True) -> "EnsembleHead":
        """Set the mode; where the backbone's batch norm is frozen, so is the trunk's."""
        super().train(mode)
        if self.upper.freeze_batch_norm:
            hold_batch_norm(self.trunk)
        return self

    def learn(
        self, x: Float[Tensor, "n c h w"]
    ) -> tuple[Float[Tensor, "n g k v u"], Float[Tensor, "n g c h w"] | None]:
        """Mask what is shared, and take all learners through G as one batch."""
        masks = self._masks(x)
        if self.at_once == self.groups:
            last = self._respond(x, masks)
        else:
            # To save memory, the backward pass computes the stages of a few learners again.
            last = torch.cat(
                [
                    checkpoint(self._respond, x, some, use_reentrant=False)
                    for some in torch.split(masks, self.at_once, 1)
                ],
                dim=1,
            )
        return last, masks

    def _respond(
        self, x: Float[Tensor, "n c h w"], masks: Float[Tensor, "n some c h w"]
    ) -> Float[Tensor, "n some k v u"]:
        """Return the last maps of those learners whose masks are given."""
        # With the factors in this order, a channels-last x gives a product that is channels-last
        # for each learner, so learners and pictures become one batch without another copy.
        masked = (x[:, None] * masks).flatten(0, 1)
        last: Tensor = self.upper(masked).stages[-1]
        return last.view(*masks.shape[:2], *last.shape[1:])

    def project(self, features: Float[Tensor, "n g p k"]) -> Float[Tensor, "n g p d"]:
        """Apply the linear layer that the learners share."""
        projected: Tensor = self.linear(features)
        return projected

    def pretrained_parameters(self) -> Iterator[nn.Parameter]:
        """Yield the parameters of G's stages and of the trunk."""
        yield from self.upper.parameters()
        yield from self.trunk.parameters()

    def masks(self, maps: FeatureMaps) -> Float[Tensor, "n g c h w"]:
        """Return the masks, in (0, 1): one number for each channel of S(x) at each position."""
        return self._masks(self.shared(maps))

    def _masks(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n g c h w"]:
        # Made contiguous, each learner's mask is one piece of memory, as `_respond` wants it.
        logits: Tensor = self.gates(self.trunk(x).contiguous())
        return logits.sigmoid().view(len(x), self.groups, *x.shape[1:])


def _width(trunk: nn.Sequential, channels: int) -> int:
    """Return how many channels a trunk makes, after a check that it keeps the size of a map."""
    trunk.eval()  # a small map must not change the statistics of batch norm
    try:
        with torch.no_grad():
            made: Tensor = trunk(torch.zeros(1, channels, *PROBE))
    except (RuntimeError, AssertionError, AttributeError) as error:
        raise ConfigError(
            "head.trunk: the blocks that it copies do not run at stride 1 "
            f"({' '.join(str(error).split())[:200]}); take another head.branch or backbone"
        ) from error
    trunk.train()
    if made.shape[2:] != PROBE:
        raise ConfigError(
            f"head.trunk: at stride 1 these blocks make {made.shape[2]}×{made.shape[3]} positions "
            f"of {PROBE[0]}×{PROBE[1]}, but a mask has a value for each; take fewer blocks, or "
            "another head.branch"
        )
    return made.shape[1]
