"""Training as a bar of steps, with a line for every epoch above it."""

from types import TracebackType

from lookalike.cli.console import progress_bars, say
from lookalike.training import Messages, StepEvent


class TrainingBar(Messages):
    """A listener that shows steps as a bar and everything else as lines.

    It is a context manager, so that the bar disappears at the end.
    """

    def __init__(self) -> None:
        super().__init__(say)
        self._bars = progress_bars()
        self._task = self._bars.add_task("training", total=None)

    def __enter__(self) -> "TrainingBar":
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bars.stop()

    def on_step(self, event: StepEvent) -> None:
        """Move the bar."""
        self._bars.update(
            self._task,
            description=f"epoch {event.epoch}  loss {event.loss:.4f}",
            completed=event.step,
            total=event.steps,
        )
