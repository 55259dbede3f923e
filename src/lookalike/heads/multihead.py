"""M-heads, the ensemble's baseline: each learner has its own copy of the backbone's last stages."""

import copy
from collections.abc import Iterator
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lookalike.backbones.cutting import split_pooling
from lookalike.backbones.stage_sequence import StageSequence
from lookalike.heads.base import share_of
from lookalike.heads.branched import Branched, BranchedHead, xavier


class MultiHead(Branched):
    """The backbone's last stages once for each learner, and no masks."""

    kind: Literal["multihead"] = "multihead"

    def build(self, upper: StageSequence, *, channels: int, dim: int) -> "MultiHeadHead":
        """Build the head on a backbone's last stages, which become the first learner's."""
        return MultiHeadHead(upper, groups=self.groups, dim=share_of(dim, self.groups))


class MultiHeadHead(BranchedHead):
    """`B_m(x) = G_m(S(x))` of METHODS 2; the token at a position is (W_m g_hw + b_m) / HW.

    Learners start from the same stages; at first they differ only in their linear layers. An
    explanation names the learner and splits it over positions of its last map; no learner weighs
    one position more than another.

    Args:
        upper: The backbone's last stages, copied for all learners but the first.
        groups: Number of learners.
        dim: Numbers in each learner's vector.
    """

    def __init__(self, upper: StageSequence, *, groups: int, dim: int) -> None:
        pooling, upper = split_pooling(upper)
        super().__init__(pooling, groups=groups, dim=dim)
        self.uppers = nn.ModuleList([upper, *(copy.deepcopy(upper) for _ in range(groups - 1))])
        linears = [nn.Linear(upper.channels[-1], dim) for _ in range(groups)]
        for linear in linears:
            xavier(linear)
        self.linears = nn.ModuleList(linears)

    def learn(
        self, x: Float[Tensor, "n c h w"]
    ) -> tuple[Float[Tensor, "n g k v u"], Float[Tensor, "n g c h w"] | None]:
        """Run each learner's stages on the shared map; there are no masks."""
        return torch.stack([upper(x).stages[-1] for upper in self.uppers], dim=1), None

    def project(self, features: Float[Tensor, "n g p k"]) -> Float[Tensor, "n g p d"]:
        """Apply each learner's linear layer to its own features."""
        pairs = zip(self.linears, features.unbind(1), strict=True)
        return torch.stack([linear(own) for linear, own in pairs], dim=1)

    def pretrained_parameters(self) -> Iterator[nn.Parameter]:
        """Yield the parameters of all learners' stages."""
        yield from self.uppers.parameters()
