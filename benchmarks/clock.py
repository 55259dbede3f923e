"""A training step, timed whole, and the backbone within it."""

import time

import torch
from torch import nn

from lookalike.training import EpochEvent, StepEvent
from lookalike.types import FeatureMaps


class Clock:
    """A listener that times whole steps, and the backbone within them.

    Args:
        kind: The backbone's class; its forward pass is watched from now on.
    """

    def __init__(self, kind: type[nn.Module]) -> None:
        self._run = kind.forward
        kind.forward = lambda network, images: self.watch(network, images)
        self.steps: list[float] = []
        self.backbone: list[float] = []
        self._began = self._forward = self._reached = self._done = 0.0

    def watch(self, network: nn.Module, images: torch.Tensor) -> FeatureMaps:
        """Stand in for the backbone's forward pass."""
        start = time.perf_counter()
        maps = self._run(network, images)
        self._forward = time.perf_counter() - start
        last = maps.stages[-1]
        if last.requires_grad:
            last.register_hook(self._note_reached)
            for parameter in network.parameters():
                if parameter.requires_grad and not hasattr(parameter, "watched"):
                    parameter.register_post_accumulate_grad_hook(self._note_done)
                    parameter.watched = True
        return maps

    def _note_reached(self, gradient: torch.Tensor) -> None:
        self._reached = time.perf_counter()

    def _note_done(self, parameter: torch.Tensor) -> None:
        self._done = time.perf_counter()

    def on_start(self, epoch: int) -> None:
        self._began = time.perf_counter()

    def on_step(self, event: StepEvent) -> None:
        now = time.perf_counter()
        self.steps.append(now - self._began)
        self.backbone.append(self._forward + self._done - self._reached)
        self._began = now

    def on_epoch(self, event: EpochEvent) -> None:
        self._began = time.perf_counter()

    def on_note(self, message: str) -> None:
        pass

    def on_warning(self, message: str) -> None:
        print(message)
