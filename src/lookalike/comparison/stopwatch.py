"""How long a run has taken, the parts before it was stopped included."""

import time
from pathlib import Path

from lookalike.files import replace_text
from lookalike.training.events import EpochEvent, StepEvent

FILE = "seconds.txt"
"""Name of the file, in an unfinished run's folder, that says how long its epochs took so far."""


class Stopwatch:
    """Seconds since a run began, written down with every epoch, as what can be resumed is.

    Time after the last whole epoch of a stopped run is not counted: its work is done again.

    Args:
        folder: Of the run.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._before = float(self.path.read_text("utf-8")) if self.path.exists() else 0.0
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """All parts together, until now."""
        return self._before + time.monotonic() - self._started

    def on_start(self, epoch: int) -> None:
        """The clock runs already: preparing counts."""

    def on_step(self, event: StepEvent) -> None:
        """Steps are not written down."""

    def on_epoch(self, event: EpochEvent) -> None:
        """Write down how long it took so far."""
        replace_text(self.path, f"{self.seconds:.1f}\n")

    def on_note(self, message: str) -> None:
        """Notes take no time."""

    def on_warning(self, message: str) -> None:
        """Warnings take no time."""
