"""What a training run tells: to a log file, to TensorBoard, to a person.

A listener is told of every step and every epoch; the loop knows nothing of where it goes.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from lookalike.errors import UsageError
from lookalike.files import replace_text


@dataclass(frozen=True, slots=True)
class StepEvent:
    """One optimiser step.

    Args:
        epoch: Counted from 1.
        step: Within the epoch, counted from 1.
        steps: How many the epoch has.
        loss: Of the batch.
    """

    epoch: int
    step: int
    steps: int
    loss: float


@dataclass(frozen=True, slots=True)
class EpochEvent:
    """One epoch, summed up.

    Args:
        epoch: Counted from 1.
        epochs: How many there will be.
        values: Means over the epoch and measures at its end, by name.
        best: Whether its weights are the best so far.
    """

    epoch: int
    epochs: int
    values: Mapping[str, float]
    best: bool


@runtime_checkable
class Listener(Protocol):
    """What wants to know how training goes."""

    def on_start(self, epoch: int) -> None:
        """Take note that training begins, or goes on, with this many epochs done."""
        ...

    def on_step(self, event: StepEvent) -> None:
        """Take note of a step."""
        ...

    def on_epoch(self, event: EpochEvent) -> None:
        """Take note of an epoch."""
        ...

    def on_note(self, message: str) -> None:
        """Take note of something that a person may want to know."""
        ...

    def on_warning(self, message: str) -> None:
        """Take note of something that a person must know."""
        ...


class JsonLines:
    """Write one line an epoch, and warnings, to a file that grows.

    Args:
        path: The file. Lines of epochs that are trained again are dropped, so that the log of a
            resumed run goes on where the weights do.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._epoch = 0

    def on_start(self, epoch: int) -> None:
        """Keep what earlier parts of the run wrote of the epochs that are done."""
        kept = [line for line in _lines(self.path) if json.loads(line)["epoch"] <= epoch]
        replace_text(self.path, "".join(f"{line}\n" for line in kept if epoch > 0))
        self._epoch = epoch

    def on_step(self, event: StepEvent) -> None:
        """Remember which epoch it is, for warnings."""
        self._epoch = event.epoch

    def on_epoch(self, event: EpochEvent) -> None:
        """Write the epoch's line."""
        self._write({"epoch": event.epoch, "best": event.best, **event.values})

    def on_note(self, message: str) -> None:
        """Write the note with the epoch in which it came."""
        self._write({"epoch": self._epoch, "note": message})

    def on_warning(self, message: str) -> None:
        """Write the warning with the epoch in which it came."""
        self._write({"epoch": self._epoch, "warning": message})

    def _write(self, record: Mapping[str, object]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({key: _plain(value) for key, value in record.items()}) + "\n")


def _plain(value: object) -> object:
    """JSON has no NaN: write null instead."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _lines(path: Path) -> list[str]:
    """Return the whole lines of a log; a kill may have cut the last one short."""
    if not path.exists():
        return []
    return [line for line in path.read_text(encoding="utf-8").splitlines() if _whole(line)]


def _whole(line: str) -> bool:
    try:
        return "epoch" in json.loads(line)
    except json.JSONDecodeError:
        return False


class TensorBoard:
    """Write every epoch's values for TensorBoard.

    Args:
        folder: Where its event files go.

    Raises:
        UsageError: TensorBoard is not installed.
    """

    def __init__(self, folder: Path) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            raise UsageError(
                "train.tensorboard = true needs TensorBoard: pip install 'lookalike[track]'"
            ) from None
        self._writer = SummaryWriter(str(folder))

    def on_start(self, epoch: int) -> None:
        """TensorBoard sorts epochs by itself."""

    def on_step(self, event: StepEvent) -> None:
        """Steps are not written: an epoch's mean says more."""

    def on_epoch(self, event: EpochEvent) -> None:
        """Write the epoch's values."""
        for name, value in event.values.items():
            self._writer.add_scalar(name, value, event.epoch)
        self._writer.flush()

    def on_note(self, message: str) -> None:
        """Notes have their place in the log and on the screen."""

    def on_warning(self, message: str) -> None:
        """Warnings have their place in the log and on the screen."""


class Messages:
    """Hand epochs and warnings, as one line of text each, to a function that shows them."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show

    def on_start(self, epoch: int) -> None:
        """Say where a resumed run goes on."""
        if epoch:
            self._show(f"going on after epoch {epoch}")

    def on_step(self, event: StepEvent) -> None:
        """Steps are for a progress bar."""

    def on_epoch(self, event: EpochEvent) -> None:
        """Show the loss and the validation measure."""
        loss = event.values.get("loss", math.nan)
        line = f"epoch {event.epoch}/{event.epochs}  loss {loss:.4f}"
        if "validation_recall_at_1" in event.values:
            line += f"  validation R@1 {event.values['validation_recall_at_1']:.3f}"
        self._show(line + ("  (best)" if event.best else ""))

    def on_note(self, message: str) -> None:
        """Show the note."""
        self._show(message)

    def on_warning(self, message: str) -> None:
        """Show the warning."""
        self._show(f"warning: {message}")
