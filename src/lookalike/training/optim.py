"""Optimisers, learning-rate schedules, and the rate and decay of each parameter."""

import math
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

import torch
from pydantic import Field
from torch import nn

from lookalike.config import Config

Rate = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]


class _Rates(Config):
    """The settings of all optimisers: one rate for each kind of parameter."""

    lr: Rate = 1e-4
    """Peak learning rate of the backbone and of the layers that a head copied from it."""
    head_lr: Rate | None = None
    """Peak rate of the head; None is `lr`."""
    similarity_lr: Rate | None = None
    """Peak rate of the similarity; None is that of the head."""
    loss_lr: Rate | None = None
    """Peak rate of the loss, of its boundaries or proxies; None is that of the head."""
    weight_decay: Rate = 1e-4
    """Decay of matrices and kernels of the backbone and the head. Biases, norms, the similarity and
    the loss have none."""
    decays: dict[str, Rate] = Field(default_factory=dict)
    """Weight decay of single parameters of the backbone and the head, by the last part of their
    names, e.g. {"queries": 0.001}; the others have `weight_decay`."""


class AdamW(_Rates):
    """Adam with decoupled weight decay."""

    kind: Literal["adamw"] = "adamw"
    betas: tuple[Share, Share] = (0.9, 0.999)

    def build(self, groups: list[dict[str, Any]]) -> torch.optim.Optimizer:
        """Build the optimiser over the groups of `parameter_groups`."""
        return torch.optim.AdamW(groups, betas=self.betas, fused=_fused(groups))


class Adam(_Rates):
    """Adam, with weight decay added to the gradient, as in the papers."""

    kind: Literal["adam"] = "adam"
    betas: tuple[Share, Share] = (0.9, 0.999)

    def build(self, groups: list[dict[str, Any]]) -> torch.optim.Optimizer:
        """Build the optimiser over the groups of `parameter_groups`."""
        return torch.optim.Adam(groups, betas=self.betas, fused=_fused(groups))


class SGD(_Rates):
    """Stochastic gradient descent with momentum."""

    kind: Literal["sgd"] = "sgd"
    momentum: Share = 0.9
    nesterov: bool = False

    def build(self, groups: list[dict[str, Any]]) -> torch.optim.Optimizer:
        """Build the optimiser over the groups of `parameter_groups`."""
        return torch.optim.SGD(
            groups, momentum=self.momentum, nesterov=self.nesterov, fused=_fused(groups)
        )


OptimizerConfig = Annotated[AdamW | Adam | SGD, Field(discriminator="kind")]


def _fused(groups: list[dict[str, Any]]) -> bool | None:
    """Whether torch can update all parameters in one pass over memory."""
    devices = {parameter.device.type for group in groups for parameter in group["params"]}
    return True if devices <= {"cpu", "cuda"} else None


def parameter_groups(
    pretrained: Sequence[nn.Parameter],
    model: nn.Module,
    objective: nn.Module,
    rates: AdamW | Adam | SGD,
    *,
    similarity: nn.Module | None = None,
) -> list[dict[str, Any]]:
    """Group parameters by rate and decay.

    Args:
        pretrained: The model's `pretrained_parameters`, trained with `rates.lr`.
        model: Its other parameters, the new layers of the head, are trained with `rates.head_lr`.
        objective: Its other parameters, boundaries and proxies, are trained with `rates.loss_lr`
            and without decay, which would pull every boundary to zero.
        rates: The rates and decays.
        similarity: The model's, trained with `rates.similarity_lr` and without decay, which would
            pull every reliability to a half.

    Returns:
        Groups for an optimiser, each with a `name`; none is empty.
    """
    head_lr = rates.lr if rates.head_lr is None else rates.head_lr
    similarity_lr = head_lr if rates.similarity_lr is None else rates.similarity_lr
    loss_lr = head_lr if rates.loss_lr is None else rates.loss_lr
    learnt = [] if similarity is None else [p for p in similarity.parameters() if p.requires_grad]
    known = {*pretrained, *learnt}
    head = [p for p in model.parameters() if p not in known]
    known |= set(head)
    loss = [p for p in objective.parameters() if p not in known]
    named = _by_last_name(model, rates.decays)
    groups = [
        *_decayed("backbone", pretrained, rates.lr, rates, named),
        *_decayed("head", head, head_lr, rates, named),
        _group("similarity", learnt, similarity_lr, 0.0),
        _group("loss", loss, loss_lr, 0.0),
    ]
    return [group for group in groups if group["params"]]


def _decayed(
    name: str,
    parameters: Iterable[nn.Parameter],
    lr: float,
    rates: AdamW | Adam | SGD,
    named: dict[str, set[nn.Parameter]],
) -> list[dict[str, Any]]:
    """Group the trained parameters of the backbone or the head by their decay."""
    trained = [p for p in parameters if p.requires_grad]
    special = {p for own in named.values() for p in own}
    usual = [p for p in trained if p not in special]
    return [
        _group(name, [p for p in usual if p.ndim > 1], lr, rates.weight_decay),
        _group(f"{name} (no decay)", [p for p in usual if p.ndim <= 1], lr, 0.0),
        *(
            _group(f"{name}: {last}", [p for p in trained if p in named[last]], lr, decay)
            for last, decay in rates.decays.items()
        ),
    ]


def _by_last_name(model: nn.Module, names: Iterable[str]) -> dict[str, set[nn.Parameter]]:
    """Find the parameters whose name ends in each of several names; there may be none."""
    return {
        last: {p for name, p in model.named_parameters() if name.split(".")[-1] == last}
        for last in names
    }


def _group(name: str, parameters: list[nn.Parameter], lr: float, decay: float) -> dict[str, Any]:
    return {"name": name, "params": parameters, "lr": lr, "peak_lr": lr, "weight_decay": decay}


class Constant(Config):
    """The peak rate, after a warm-up."""

    kind: Literal["constant"] = "constant"
    warmup_epochs: Annotated[float, Field(ge=0)] = 0.0

    def factor(self, epoch: float, epochs: int) -> float:
        """Return the rate at a fractional epoch as a share of the peak."""
        return _warmup(epoch, self.warmup_epochs)


class CosineDecay(Config):
    """Linear warm-up, then half a cosine down to `floor`."""

    kind: Literal["cosine"] = "cosine"
    warmup_epochs: Annotated[float, Field(ge=0)] = 1.0
    floor: Share = 0.0
    """Rate at the end, as a share of the peak."""

    def factor(self, epoch: float, epochs: int) -> float:
        """Return the rate at a fractional epoch as a share of the peak.

        >>> CosineDecay(warmup_epochs=0.0).factor(5.0, 10)
        0.5
        """
        if epoch < self.warmup_epochs:
            return _warmup(epoch, self.warmup_epochs)
        done = (epoch - self.warmup_epochs) / max(epochs - self.warmup_epochs, 1e-9)
        return self.floor + (1 - self.floor) * (1 + math.cos(math.pi * min(done, 1.0))) / 2


class StepDecay(Config):
    """The rate times `gamma` at each milestone, after a warm-up."""

    kind: Literal["step"] = "step"
    milestones: tuple[Annotated[int, Field(ge=1)], ...]
    """Epochs at whose start the rate drops."""
    gamma: Share = 0.3
    warmup_epochs: Annotated[float, Field(ge=0)] = 0.0

    def factor(self, epoch: float, epochs: int) -> float:
        """Return the rate at a fractional epoch as a share of the peak."""
        drops = sum(epoch >= milestone for milestone in self.milestones)
        return float(_warmup(epoch, self.warmup_epochs) * self.gamma**drops)


class OneCycle(Config):
    """Up to the peak and down to almost zero, both along a cosine (Smith and Topin 2017)."""

    kind: Literal["one_cycle"] = "one_cycle"
    peak_at: Annotated[float, Field(gt=0, lt=1)] = 0.3
    """Share of the training at which the peak is reached."""
    start: Share = 0.04
    """Rate at the beginning, as a share of the peak."""
    end: Share = 4e-6
    """Rate at the end, as a share of the peak."""

    def factor(self, epoch: float, epochs: int) -> float:
        """Return the rate at a fractional epoch as a share of the peak.

        >>> OneCycle().factor(3.0, 10)
        1.0
        """
        done = epoch / epochs
        if done < self.peak_at:
            return _cosine(self.start, 1.0, done / self.peak_at)
        return _cosine(1.0, self.end, (done - self.peak_at) / (1 - self.peak_at))


ScheduleConfig = Annotated[
    Constant | CosineDecay | StepDecay | OneCycle, Field(discriminator="kind")
]


def _warmup(epoch: float, length: float) -> float:
    return min(1.0, epoch / length) if length > 0 else 1.0


def _cosine(start: float, end: float, done: float) -> float:
    return start + (end - start) * (1 - math.cos(math.pi * min(done, 1.0))) / 2


def set_rates(optimizer: torch.optim.Optimizer, factor: float) -> None:
    """Set every group's rate to a share of its peak."""
    for group in optimizer.param_groups:
        group["lr"] = group["peak_lr"] * factor
