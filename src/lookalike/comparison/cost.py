"""What a model costs: parameters, operations, time for a picture, time for a run."""

import statistics
import time
from collections.abc import Mapping
from pathlib import Path

import torch
from torch.utils.flop_counter import FlopCounterMode

from lookalike.files import replace_text
from lookalike.model import Model, evaluating
from lookalike.training import EpochEvent, Listener

BATCH = 32
ROUNDS = 7
SECONDS = "seconds.txt"
"""A file in the folder of an unfinished run: how long its epochs have taken so far."""


def parameters(model: Model) -> int:
    """Count the parameters of backbone and head."""
    return sum(parameter.numel() for parameter in model.parameters())


@torch.no_grad()
def flops(model: Model) -> int:
    """Count the operations that embed one picture; a multiply-add counts as two.

    Only matrix products and convolutions count, as in the literature.
    """
    with evaluating(model), FlopCounterMode(display=False) as counter:
        model(_pictures(model, 1))
    return int(counter.get_total_flops())


@torch.no_grad()
def milliseconds_per_image(
    models: Mapping[str, Model], *, batch: int = BATCH, rounds: int = ROUNDS
) -> dict[str, float]:
    """Measure the milliseconds to embed a picture that is already prepared, by name of a model.

    The models take turns in every round, so that other work of the machine slows all of them.

    Args:
        models: By name.
        batch: Pictures in a batch.
        rounds: How many rounds are timed, after one that is not; the median counts.
    """
    taken: dict[str, list[float]] = {name: [] for name in models}
    for _ in range(rounds + 1):
        for name, model in models.items():
            images = _pictures(model, batch)
            with evaluating(model):
                started = time.perf_counter()
                model(images).flat().sum().item()  # .item() waits for the device
                taken[name].append(time.perf_counter() - started)
    return {name: 1000 * statistics.median(t[1:]) / batch for name, t in taken.items()}


def _pictures(model: Model, count: int) -> torch.Tensor:
    size = model.preprocessing.size
    return torch.zeros(count, 3, size, size, device=model.device)


class Stopwatch(Listener):
    """Counts a run's seconds from the beginning, earlier parts of a resumed run included.

    The time is written down after every epoch. What a stopped run did after its last whole epoch
    is done again, so its time is not counted.

    Args:
        folder: The run's folder.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / SECONDS
        self._before = float(self.path.read_text("utf-8")) if self.path.exists() else 0.0
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """All parts together, until now."""
        return self._before + time.monotonic() - self._started

    def on_epoch(self, event: EpochEvent) -> None:
        """Write down the time so far."""
        replace_text(self.path, f"{self.seconds:.1f}\n")
