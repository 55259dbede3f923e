"""Listeners that write a training run to a log file and to the screen."""

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path

from lookalike.files import replace_text
from lookalike.training.events import EpochEvent, StepEvent


class JsonLines:
    """Write a line for each epoch, note and warning to a file.

    Args:
        path: The file. When a run is resumed, lines of epochs that are trained again are dropped.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._epoch = 0

    def on_start(self, epoch: int) -> None:
        """Keep the lines of the epochs that are done."""
        kept = [line for line in _lines(self.path) if json.loads(line)["epoch"] <= epoch]
        replace_text(self.path, "".join(f"{line}\n" for line in kept if epoch > 0))
        self._epoch = epoch

    def on_step(self, event: StepEvent) -> None:
        """Remember the epoch, for notes and warnings."""
        self._epoch = event.epoch

    def on_epoch(self, event: EpochEvent) -> None:
        """Write the epoch's line."""
        self._write({"epoch": event.epoch, "best": event.best, **event.values})

    def on_note(self, message: str) -> None:
        """Write the note with its epoch."""
        self._write({"epoch": self._epoch, "note": message})

    def on_warning(self, message: str) -> None:
        """Write the warning with its epoch."""
        self._write({"epoch": self._epoch, "warning": message})

    def _write(self, record: Mapping[str, object]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({key: _plain(value) for key, value in record.items()}) + "\n")


def _plain(value: object) -> object:
    """Return null for NaN and infinity, which JSON does not have."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _lines(path: Path) -> list[str]:
    """Return the complete lines of a log; if the run was killed, the last one may be cut."""
    if not path.exists():
        return []
    return [line for line in path.read_text(encoding="utf-8").splitlines() if _is_complete(line)]


def _is_complete(line: str) -> bool:
    try:
        return "epoch" in json.loads(line)
    except json.JSONDecodeError:
        return False


class Messages:
    """Show epochs, notes and warnings as one line of text each.

    Args:
        show: Called with each line.
    """

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show

    def on_start(self, epoch: int) -> None:
        """Say after which epoch a resumed run continues."""
        if epoch:
            self._show(f"continuing after epoch {epoch}")

    def on_step(self, event: StepEvent) -> None:
        """Show nothing: a progress bar shows steps."""

    def on_epoch(self, event: EpochEvent) -> None:
        """Show the loss and the validation result."""
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
