"""The events of a training run, and what a listener to them is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class StepEvent:
    """One optimiser step.

    Args:
        epoch: Counted from 1.
        step: Within the epoch, counted from 1.
        steps: How many the epoch has.
        loss: The loss of the batch.
    """

    epoch: int
    step: int
    steps: int
    loss: float


@dataclass(frozen=True, slots=True)
class EpochEvent:
    """One epoch.

    Args:
        epoch: Counted from 1.
        epochs: How many there will be.
        values: By name: means over the epoch, and what was measured at its end.
        best: Whether its weights are the best so far.
    """

    epoch: int
    epochs: int
    values: Mapping[str, float]
    best: bool


@runtime_checkable
class Listener(Protocol):
    """An object that the training loop calls at every event.

    A class that inherits from it need only have the methods that do something.
    """

    def on_start(self, epoch: int) -> None:
        """Training starts, or continues after this many epochs."""
        return

    def on_step(self, event: StepEvent) -> None:
        """A step is done."""
        return

    def on_epoch(self, event: EpochEvent) -> None:
        """An epoch is done."""
        return

    def on_note(self, message: str) -> None:
        """There is something that a person may want to know."""
        return

    def on_warning(self, message: str) -> None:
        """There is something that a person must know."""
        return
