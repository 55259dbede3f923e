"""How much of a training step is spent outside the backbone's own forward and backward pass?

The demo's recipe on the demo's pictures. Each step (reading, augmentation, backbone, head, loss,
optimiser, log) is timed whole, and within it the backbone: its forward pass, and the time from
the moment the gradient reaches its last map to the moment its last parameter has its own. Prints
one JSON object, last.

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
from lookalike.backbones.staged import StagedNetwork
from lookalike.data import demo_catalog
from lookalike.training import EpochEvent, StepEvent
from lookalike.types import FeatureMaps


class Clock:
    """A listener that times whole steps, and the backbone within them."""

    def __init__(self) -> None:
        self.steps: list[float] = []
        self.backbone: list[float] = []
        self._began = self._forward = self._reached = self._done = 0.0

    def watch(self, network: StagedNetwork, images: torch.Tensor) -> FeatureMaps:
        """Stand in for the backbone's forward pass."""
        start = time.perf_counter()
        maps = FORWARD(network, images)
        self._forward = time.perf_counter() - start
        last = maps.stages[-1]
        if last.requires_grad:
            last.register_hook(self._note_reached)
            for parameter in network.parameters():
                if parameter.requires_grad and not hasattr(parameter, "watched"):
                    parameter.register_post_accumulate_grad_hook(self._note_done)
                    parameter.watched = True
        return maps

    def _note_reached(self, gradient: torch.Tensor) -> None:
        self._reached = time.perf_counter()

    def _note_done(self, parameter: torch.Tensor) -> None:
        self._done = time.perf_counter()

    def on_start(self, epoch: int) -> None:
        self._began = time.perf_counter()

    def on_step(self, event: StepEvent) -> None:
        now = time.perf_counter()
        self.steps.append(now - self._began)
        self.backbone.append(self._forward + self._done - self._reached)
        self._began = now

    def on_epoch(self, event: EpochEvent) -> None:
        self._began = time.perf_counter()

    def on_note(self, message: str) -> None:
        pass

    def on_warning(self, message: str) -> None:
        print(message)


FORWARD = StagedNetwork.forward


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two epochs instead of six")
    epochs = 2 if parser.parse_args().quick else 6
    recipe = recipes.emoji()
    train = recipe.train.model_copy(update={"epochs": epochs, "validation_share": 0.0})
    recipe = recipe.model_copy(update={"train": train})
    clock = Clock()
    StagedNetwork.forward = lambda network, images: clock.watch(network, images)
    catalog = demo_catalog().split("train")
    with tempfile.TemporaryDirectory() as folder:
        recipes.train(recipe, catalog, Path(folder) / "run", listeners=[clock])
    # The first epoch fills the cache of pictures and warms the allocator.
    warm = slice(len(clock.steps) // epochs, None)
    step, alone = median(clock.steps[warm]), median(clock.backbone[warm])
    print(f"median step {step * 1e3:.1f} ms, of it the backbone {alone * 1e3:.1f} ms")
    print(
        json.dumps(
            {
                "ratio_step": round(step / alone, 3),
                "share_outside_backbone": round(1 - alone / step, 3),
                "step_ms": round(step * 1e3, 1),
                "backbone_ms": round(alone * 1e3, 1),
                "batch": train.classes_per_batch * train.images_per_class,
                "pixels": recipe.model.preprocessing.size,
                "peak_gib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
                "threads": torch.get_num_threads(),
            }
        )
    )


if __name__ == "__main__":
    main()
