"""Do the published recipes run at full size, and what do they take?

Three steps of the attentive grouping as published, batch 112 at 224 (ResNet-50) or 227 pixels
(Inception-v1), from random weights, on a miniature of CUB-200-2011 that is written for it in the
official layout. Prints one JSON object, last.

    python benchmarks/published.py [--backbone resnet50|inception_v1] [--quick]

On a machine with a GPU the recipe runs there; the peak of memory is then the GPU's.
"""

import argparse
import json
import resource
import tempfile
from pathlib import Path
from statistics import median

import numpy as np
import torch
from clock import Clock
from PIL import Image

from lookalike import recipes
from lookalike.backbones.stage_sequence import StageSequence
from lookalike.backbones.timm_network import StagedNetwork
from lookalike.data import cub
from lookalike.recipes import Recipe

KINDS = {"resnet50": StagedNetwork, "inception_v1": StageSequence}
STEPS = 3


def write_miniature(root: Path, *, classes: int, images: int, test_classes: int = 4) -> None:
    """Write the official layout: lists, and noise of the size of CUB's pictures."""
    rng = np.random.default_rng(0)
    numbers = [*range(1, classes + 1), *range(101, 101 + test_classes)]
    lists: dict[str, list[str]] = {"images": [], "image_class_labels": [], "bounding_boxes": []}
    for number in numbers:
        folder = f"{number:03d}.Bird_{number}"
        (root / "images" / folder).mkdir(parents=True)
        for i in range(images):
            row, path = len(lists["images"]) + 1, f"{folder}/Bird_{number}_{i:04d}.jpg"
            noise = Image.fromarray(rng.integers(0, 255, (40, 50, 3), np.uint8))
            noise.resize((500, 375)).save(root / "images" / path)
            lists["images"].append(f"{row} {path}")
            lists["image_class_labels"].append(f"{row} {number}")
            lists["bounding_boxes"].append(f"{row} 60.0 27.0 325.0 304.0")
    names = [f"{number} {number:03d}.Bird_{number}" for number in numbers]
    for name, lines in (*lists.items(), ("classes", names)):
        (root / f"{name}.txt").write_text("\n".join(lines) + "\n")


def shortened(recipe: Recipe, *, quick: bool) -> Recipe:
    """Leave everything as published but the length, the weights and the validation."""
    backbone = recipe.model.backbone.model_copy(update={"pretrained": False})
    train = {"epochs": 1, "batches_per_epoch": STEPS, "validation_share": 0.0, "workers": 0}
    if quick:
        train["classes_per_batch"] = 8
    return recipe.model_copy(
        update={
            "model": recipe.model.model_copy(update={"backbone": backbone}),
            "train": recipe.train.model_copy(update=train),
            "evaluation": recipe.evaluation.model_copy(update={"clustering": False, "workers": 0}),
        }
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backbone", choices=KINDS, default="resnet50")
    parser.add_argument("--quick", action="store_true", help="a batch of 16 instead of 112")
    asked = parser.parse_args()
    recipe = shortened(
        recipes.attentive_grouping(backbone=asked.backbone, data="cub"), quick=asked.quick
    )
    clock = Clock(KINDS[asked.backbone])
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "CUB_200_2011"
        write_miniature(root, classes=56, images=2)
        catalog = cub(root, allow_partial=True)
        run = recipes.train(recipe, catalog, Path(folder) / "run", listeners=[clock])
    step, alone = median(clock.steps), median(clock.backbone)
    on_gpu = run.model.device.type == "cuda"
    peak = torch.cuda.max_memory_allocated() / 2**30 if on_gpu else _resident()
    print(f"{recipe.name}: median step {step:.2f} s, of it the backbone {alone:.2f} s")
    print(
        json.dumps(
            {
                "recipe": recipe.name,
                "ratio_step": round(step / alone, 3),
                "share_outside_backbone": round(1 - alone / step, 3),
                "step_s": round(step, 3),
                "steps": len(clock.steps),
                "batch": recipe.train.classes_per_batch * recipe.train.images_per_class,
                "pixels": run.model.preprocessing.size,
                "peak_gib": round(peak, 2),
                "device": str(run.model.device),
                "threads": torch.get_num_threads(),
            }
        )
    )


def _resident() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


if __name__ == "__main__":
    main()
