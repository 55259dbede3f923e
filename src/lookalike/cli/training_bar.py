"""Training, as a bar of steps with a line for every epoch above it."""

from types import TracebackType

from lookalike.cli.console import progress_bar, say
from lookalike.training import EpochEvent, Messages, StepEvent


class TrainingBar:
    """A listener that draws; a context, so that the bar is gone at the end."""

    def __init__(self) -> None:
        self._progress = progress_bar()
        self._task = self._progress.add_task("training", total=None)
        self._messages = Messages(say)

    def __enter__(self) -> "TrainingBar":
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def on_start(self, epoch: int) -> None:
        """Say where a resumed run goes on."""
        self._messages.on_start(epoch)

    def on_step(self, event: StepEvent) -> None:
        """Move the bar."""
        self._progress.update(
            self._task,
            description=f"epoch {event.epoch}  loss {event.loss:.4f}",
            completed=event.step,
            total=event.steps,
        )

    def on_epoch(self, event: EpochEvent) -> None:
        """Print the epoch's line."""
        self._messages.on_epoch(event)

    def on_note(self, message: str) -> None:
        """Print the note."""
        self._messages.on_note(message)

    def on_warning(self, message: str) -> None:
        """Print the warning."""
        self._messages.on_warning(message)
