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
from pathlib import Path
from statistics import median

import torch
from clock import Clock

from lookalike import recipes
from lookalike.backbones.timm_network import StagedNetwork
from lookalike.data import demo_catalog


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two epochs instead of six")
    epochs = 2 if parser.parse_args().quick else 6
    recipe = recipes.emoji()
    train = recipe.train.model_copy(update={"epochs": epochs, "validation_share": 0.0})
    recipe = recipe.model_copy(update={"train": train})
    clock = Clock(StagedNetwork)
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
