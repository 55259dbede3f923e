"""TensorBoard and Weights & Biases, through the trackers of accelerate."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from lookalike.errors import UsageError
from lookalike.training.config import TrainConfig
from lookalike.training.events import EpochEvent, Listener

PROJECT = "lookalike"
"""The project on Weights & Biases."""


class TrackedRun(Listener):
    """A listener that hands every epoch's values to a tracker, and nothing else.

    Args:
        tracker: One of `accelerate.tracking`, started.
    """

    def __init__(self, tracker: Any) -> None:  # noqa: ANN401
        self._tracker = tracker

    def on_epoch(self, event: EpochEvent) -> None:
        """Log the epoch's values."""
        self._tracker.log(dict(event.values), step=event.epoch)


@contextmanager
def track(
    config: TrainConfig, folder: Path, *, recipe: Mapping[str, Any]
) -> Iterator[list[TrackedRun]]:
    """Start the trackers that a config asks for, and finish them at the end.

    Args:
        config: `tensorboard` and `wandb` say which.
        folder: The run's. TensorBoard's files go to its folder "tensorboard", those of Weights &
            Biases to its folder "wandb".
        recipe: The settings to show on Weights & Biases.

    Raises:
        UsageError: The package of a tracker is not installed.
    """
    started = []
    with ExitStack() as stack:
        for tracker in _trackers(config, folder, recipe):
            tracker.start()
            stack.callback(tracker.finish)
            started.append(TrackedRun(tracker))
        yield started


def _trackers(config: TrainConfig, folder: Path, recipe: Mapping[str, Any]) -> list[Any]:
    for wanted, package in ((config.tensorboard, "tensorboard"), (config.wandb, "wandb")):
        if wanted:
            _require(package)
    from accelerate.tracking import TensorBoardTracker, WandBTracker

    trackers: list[Any] = []
    if config.tensorboard:
        trackers.append(TensorBoardTracker("tensorboard", str(folder)))
    if config.wandb:
        run = {"name": folder.name, "dir": str(folder), "config": dict(recipe)}
        trackers.append(WandBTracker(PROJECT, **run))
    return trackers


def _require(package: str) -> None:
    try:
        version(package)  # a folder of this name can be imported too, so importing proves nothing
    except PackageNotFoundError:
        raise UsageError(
            f"train.{package} = true needs the package {package}: pip install 'lookalike[track]'"
        ) from None
