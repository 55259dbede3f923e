"""A training step of ABE-8 on GoogLeNet against eight passes of the naive loop, and its cost.

A step is a forward and a backward pass of one batch in train mode. The naive loop takes every
learner through the whole network by itself: the shared stages, the trunk, the learner's mask and
the last stages, and all of it again for the next. Both have the same weights and the same loss,
the squared cosines between all pictures of the batch, summed over learners; `largest_gap` compares
their gradients in double precision. They take turns; times are medians. Batch norm is held, as the
recipes have it. Fewer learners at once, `head.at_once`, save memory and go through G twice.

Peaks of memory are of processes that do nothing but a few steps, imports and the network included;
`idle_gib` is that of one that does no step. The naive loop is measured in two ways: with one loss
over all learners, as a divergence between them needs, and with each learner's backward pass before
the next learner's forward pass. Costs are those of the whole model at 512 numbers; a multiply-add
counts as two operations.

The last line is one JSON object. `ratio_step` is the naive loop's time over that of ours.

Run: python benchmarks/ensemble.py [--quick]
"""

import argparse
import json
import multiprocessing
import resource
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

import torch
from torch import Tensor
from torch.nn.functional import conv2d, normalize

import lookalike as la
from lookalike.backbones import GoogLeNet
from lookalike.comparison import flops, parameters
from lookalike.heads import Ensemble, HeadConfig, MultiHead, Single
from lookalike.model import Model
from lookalike.preprocessing import Preprocessing

LEARNERS = 8
WAYS = ("all at once", "2 at once", "1 at once", "naive", "naive, one loss a learner")
COSTED: dict[str, HeadConfig] = {
    "ABE-8": Ensemble(groups=8),
    "ABE-1": Ensemble(groups=1),
    "8-heads": MultiHead(groups=8),
    "N": Single(),
}


def network(head: HeadConfig, *, size: int) -> Model:
    """Return a model with 512 numbers and random weights, the same each time."""
    torch.manual_seed(0)
    model = la.create_model(
        GoogLeNet(), head=head, dim=512, preprocessing=Preprocessing(size=size), pretrained=False
    )
    return model.train()


def loss(vectors: Tensor) -> Tensor:
    """Return the squared cosines of all pairs of pictures, n×g×d, summed over learners."""
    by_learner = vectors.transpose(0, 1)
    return (by_learner @ by_learner.transpose(1, 2)).square().sum()


def alone(model: Model, images: Tensor, learner: int) -> Tensor:
    """Take one learner through the whole network and return its vectors, n×1×d."""
    head = model.head
    x = head.shared(model.features(images))
    weight, bias = (part.chunk(LEARNERS)[learner] for part in (head.gates.weight, head.gates.bias))
    masked = x * conv2d(head.trunk(x), weight, bias).sigmoid()
    pooled = head.upper(masked).stages[-1].mean(dim=(2, 3))
    return normalize(head.linear(pooled), dim=1)[:, None]


def step(model: Model, images: Tensor, way: str) -> None:
    """Run one step, from no gradient to all gradients."""
    model.zero_grad(set_to_none=True)
    if way == "naive":
        loss(torch.cat([alone(model, images, m) for m in range(LEARNERS)], dim=1)).backward()
    elif way == "naive, one loss a learner":
        for m in range(LEARNERS):
            loss(alone(model, images, m)).backward()
    else:
        model.head.at_once = LEARNERS if way == "all at once" else int(way.split()[0])
        loss(model(images).levels[0].vectors).backward()


def peak_gib(way: str | None, size: int, batch: int) -> float:
    """Return the peak memory of a process that does three steps, or none."""
    model, images = network(Ensemble(groups=LEARNERS), size=size), torch.randn(batch, 3, size, size)
    for _ in range(0 if way is None else 3):
        step(model, images, way)
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 3)


def in_own_process(
    task: Callable[[str | None, int, int], float], *given: str | int | None
) -> float:
    """Return what a task returns in a process that has done nothing else."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as pool:
        return pool.submit(task, *given).result()


def timed(model: Model, images: Tensor, *, rounds: int) -> dict[str, float]:
    """Return the median seconds of a step, way by way; all take turns in every round."""
    times: dict[str, list[float]] = {way: [] for way in WAYS}
    for round_ in range(rounds + 1):
        for way, taken in times.items():
            start = time.perf_counter()
            step(model, images, way)
            if round_:  # the first round warms up
                taken.append(time.perf_counter() - start)
    return {way: statistics.median(taken) for way, taken in times.items()}


def largest_gap(model: Model, images: Tensor) -> float:
    """Return by how much the gradients of two ways differ, as a share of their largest number."""
    gradients = []
    for way in ("all at once", "naive"):
        step(model, images, way)
        gradients.append(torch.cat([p.grad.flatten() for p in model.parameters()]))
    ours, naive = gradients
    return float((ours - naive).abs().max() / naive.abs().max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small and few, to see that it works")
    quick = parser.parse_args().quick
    size, batch, rounds = (64, 2, 2) if quick else (96, 16, 9)

    # Before this process grows: a process starts with the peak of the one that started it.
    peaks = {way: in_own_process(peak_gib, way, size, batch) for way in WAYS}
    idle = in_own_process(peak_gib, None, size, batch)
    model, images = network(Ensemble(groups=LEARNERS), size=size), torch.randn(batch, 3, size, size)
    seconds = timed(model, images, rounds=rounds)
    costs = {name: network(head, size=64 if quick else 224) for name, head in COSTED.items()}
    result = {
        "ratio_step": round(seconds["naive"] / seconds["all at once"], 3),
        "step_ms": {way: round(taken * 1e3, 1) for way, taken in seconds.items()},
        "peak_gib": peaks,
        "idle_gib": idle,
        "largest_gap": largest_gap(model.double(), images[:2].double()),
        "parameters": {name: parameters(model) for name, model in costs.items()},
        "flops": {name: flops(model) for name, model in costs.items()},
        "pixels": size,
        "pixels_of_flops": 64 if quick else 224,
        "batch": batch,
        "learners": LEARNERS,
        "rounds": rounds,
        "threads": torch.get_num_threads(),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
