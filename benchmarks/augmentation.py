"""Our augmentation against torchvision v2's, on the same policy: pictures per second, one process.

Two recipes' policies, each from decoded pictures to the network's normalised input:

- `warp`, the demo's: mirror, turn, scale, move, brightness, contrast, saturation. Ours does it for
  a batch at a time; v2 draws once for each call, so it is called once for each picture.
- `crop`, the recipe `starter`: a random resized crop and a mirror. Ours cuts with Pillow; v2 is
  measured on tensors and on Pillow's pictures, and the faster one counts.

The two do not draw the same numbers, but the work of the same policy. Rounds alternate, and the
medians count. The last line is one JSON object; `ratio_*` is our time over that of v2.

Run: python benchmarks/augmentation.py [--quick]
"""

import argparse
import json
import resource
import time
from collections.abc import Callable
from statistics import median

import numpy as np
import torch
from PIL import Image
from torchvision.transforms import v2

from lookalike import recipes
from lookalike.data import Augmentation
from lookalike.data.batches.augmentation import chances
from lookalike.preprocessing import Preprocessing

Run = Callable[[], torch.Tensor]


def pictures(count: int, side: int) -> list[Image.Image]:
    random = np.random.default_rng(0)
    return [
        Image.fromarray(random.integers(0, 256, (side, side, 3), dtype=np.uint8))
        for _ in range(count)
    ]


def ours(policy: Augmentation, p: Preprocessing, given: list[Image.Image]) -> Run:
    augmenter = policy.build(p)
    rows = list(range(len(given)))
    kept = [augmenter.cut(picture, np.full(32, 0.5)) for picture in given]

    def run() -> torch.Tensor:
        chance = chances(rows, seed=0, epoch=0)
        cut = kept
        if not augmenter.fixed:
            cut = [augmenter.cut(a, c) for a, c in zip(given, chance, strict=True)]
        return augmenter(np.stack(cut), chance)

    return run


def theirs(policy: Augmentation, p: Preprocessing, given: list[Image.Image], kind: str) -> Run:
    filters = {"bicubic": v2.InterpolationMode.BICUBIC, "bilinear": v2.InterpolationMode.BILINEAR}
    steps: list[torch.nn.Module] = []
    if policy.crop == "resized":
        crop = v2.RandomResizedCrop(
            p.size, policy.crop_area, policy.crop_ratio, filters[p.interpolation], antialias=True
        )
        steps.append(crop)
    steps.append(v2.RandomHorizontalFlip(policy.flip))
    if policy.degrees:
        move = (policy.translate, policy.translate)
        steps.append(
            v2.RandomAffine(
                policy.degrees, move, policy.scale,
                interpolation=v2.InterpolationMode.BILINEAR, fill=p.background,
            )
        )  # fmt: skip
    if policy.brightness:
        steps.append(v2.ColorJitter(policy.brightness, policy.contrast, policy.saturation))
    last = [v2.ToDtype(torch.float32, scale=True), v2.Normalize(p.mean, p.std)]
    if kind == "pillow":
        transform = v2.Compose([*steps, v2.ToImage(), *last])
        inputs = given
    else:
        transform = v2.Compose([*steps, *last])
        inputs = [v2.functional.pil_to_tensor(picture) for picture in given]
    return lambda: torch.stack([transform(picture) for picture in inputs])


def seconds(run: Run) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def compare(recipe: recipes.Recipe, batch: int, rounds: int) -> dict[str, float]:
    policy, p = recipe.augmentation, recipe.model.preprocessing
    side = p.size if policy.crop == "none" else policy.build(p).keep_side
    given = pictures(batch, side)
    runs = {
        "ours": ours(policy, p, given),
        "v2_tensor": theirs(policy, p, given, "tensor"),
        "v2_pillow": theirs(policy, p, given, "pillow"),
    }
    shapes = {run().shape for run in runs.values()}
    assert shapes == {(batch, 3, p.size, p.size)}, shapes
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            taken[name].append(seconds(run))
    return {name: median(times) for name, times in taken.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="5 rounds instead of 30")
    rounds = 5 if parser.parse_args().quick else 30
    result: dict[str, float] = {}
    for name, recipe in (("warp", recipes.emoji()), ("crop", recipes.starter())):
        batch = recipe.train.classes_per_batch * recipe.train.images_per_class
        took = compare(recipe, batch, rounds)
        rates = {rival: round(batch / time) for rival, time in took.items()}
        print(f"{name}: pictures a second: {rates}", flush=True)
        best = min(took["v2_tensor"], took["v2_pillow"])
        result[f"ratio_{name}"] = round(took["ours"] / best, 3)
        result |= {f"{name}_{rival}_images_per_second": rate for rival, rate in rates.items()}
        result |= {f"{name}_batch": batch, f"{name}_pixels": recipe.model.preprocessing.size}
    result["threads"] = torch.get_num_threads()
    result["peak_gib"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
