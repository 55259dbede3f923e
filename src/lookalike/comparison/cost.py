"""What a model costs: parameters, operations, and time an image, all variants side by side."""

import statistics
import time
from collections.abc import Mapping

import torch
from torch.utils.flop_counter import FlopCounterMode

from lookalike.model import Model, evaluating

BATCH = 32
ROUNDS = 7


def parameters(model: Model) -> int:
    """Count all numbers that are learnt, in the backbone and in the head."""
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
    """Time the embedding of pictures that are already prepared, in rounds.

    The models take turns in every round, so that what else the machine does meets all of them.

    Args:
        models: By name.
        batch: Pictures at once.
        rounds: The median of so many counts; one more before them does not.

    Returns:
        Milliseconds an image, by name.
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
