"""How much of a training step is spent outside the backbone's own forward and backward pass?

The demo's recipe on the demo's pictures. Epochs of real training (reading, augmentation, head,
loss, optimiser, log) take turns with the backbone alone on batches of the same size, so that both
see the same machine. Prints one JSON object, last.

    python benchmarks/training.py [--quick]
"""

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path
from statistics import median

import torch

from lookalike import recipes
from lookalike.data import demo_catalog
from lookalike.training import EpochEvent, StepEvent


class Clock:
    """A listener that notes how long each step took, and then times the backbone alone."""

    def __init__(self, model: torch.nn.Module, images: torch.Tensor, passes: int) -> None:
        self.model, self.images, self.passes = model, images, passes
        self.steps: list[float] = []
        self.backbone: list[float] = []
        self._last: float | None = None

    def on_start(self, epoch: int) -> None:
        self._last = time.perf_counter()

    def on_step(self, event: StepEvent) -> None:
        now = time.perf_counter()
        if self._last is not None:
            self.steps.append(now - self._last)
        self._last = now

    def on_epoch(self, event: EpochEvent) -> None:
        for _ in range(self.passes):
            self.backbone.append(backbone_seconds(self.model.backbone.train(), self.images))
        self._last = time.perf_counter()

    def on_note(self, message: str) -> None:
        pass

    def on_warning(self, message: str) -> None:
        print(message)


def backbone_seconds(backbone: torch.nn.Module, images: torch.Tensor) -> float:
    """Time one forward and backward pass of the backbone, from its last map back."""
    for parameter in backbone.parameters():
        parameter.grad = None
    start = time.perf_counter()
    last = backbone(images).stages[-1]
    last.backward(torch.ones_like(last))
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two epochs instead of six")
    epochs = 2 if parser.parse_args().quick else 6
    recipe = recipes.emoji()
    train = recipe.train.model_copy(update={"epochs": epochs, "validation_share": 0.0})
    recipe = recipe.model_copy(update={"train": train})
    batch = train.classes_per_batch * train.images_per_class
    size = recipe.model.preprocessing.size
    images = torch.randn(batch, 3, size, size).contiguous(memory_format=torch.channels_last)
    clock = Clock(recipe.model.build(), images, passes=6)
    catalog = demo_catalog().split("train")
    with tempfile.TemporaryDirectory() as folder:
        recipes.train(recipe, catalog, Path(folder) / "run", listeners=[clock])
    # The first epoch fills the cache of pictures and warms the allocator.
    per_epoch = len(clock.steps) // epochs
    step, alone = median(clock.steps[per_epoch:]), median(clock.backbone[6:])
    print(f"median step {step * 1e3:.1f} ms, backbone alone {alone * 1e3:.1f} ms")
    print(
        json.dumps(
            {
                "ratio_step": round(step / alone, 3),
                "share_outside_backbone": round(1 - alone / step, 3),
                "step_ms": round(step * 1e3, 1),
                "backbone_ms": round(alone * 1e3, 1),
                "batch": batch,
                "pixels": size,
                "peak_gib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
                "threads": torch.get_num_threads(),
            }
        )
    )


if __name__ == "__main__":
    main()
