"""Margin loss on distance-weighted triplets against pytorch-metric-learning, forward and backward.

Both get the same unit vectors, n×g×d. The reference mines and scores each group on its own, as
its users do; ours takes all groups in one call. The two alternate, so that a busy machine slows
both. The last line is one JSON object; `ratio_margin` is our time over the reference's.

Run: python benchmarks/losses.py [--quick]
"""

import argparse
import json
import resource
import statistics
import time
from collections.abc import Callable

import torch
from pytorch_metric_learning.losses import MarginLoss as ReferenceLoss
from pytorch_metric_learning.miners import DistanceWeightedMiner
from torch import Tensor
from torch.nn.functional import normalize

import lookalike as la

CLASSES = 100


def ours(groups: int, dim: int) -> Callable[[Tensor, Tensor], Tensor]:
    similarity = la.similarity.Cosine().build(groups)
    config = la.losses.ObjectiveConfig(loss=la.losses.Margin())
    objective = config.build(similarity, classes=CLASSES, groups=groups, dim=dim)

    def loss(vectors: Tensor, labels: Tensor) -> Tensor:
        return objective(la.Embedding.of(vectors), labels, torch.arange(len(labels))).value

    return loss


def reference(groups: int) -> Callable[[Tensor, Tensor], Tensor]:
    miners = [DistanceWeightedMiner() for _ in range(groups)]
    losses = [ReferenceLoss(learn_beta=True, num_classes=CLASSES) for _ in range(groups)]

    def loss(vectors: Tensor, labels: Tensor) -> Tensor:
        values = []
        for group, (miner, margin) in enumerate(zip(miners, losses, strict=True)):
            values.append(margin(vectors[:, group], labels, miner(vectors[:, group], labels)))
        return torch.stack(values).mean()

    return loss


def seconds(loss: Callable[[Tensor, Tensor], Tensor], vectors: Tensor, labels: Tensor) -> float:
    leaf = vectors.clone().requires_grad_()
    start = time.perf_counter()
    loss(leaf, labels).backward()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="10 rounds instead of 50")
    rounds = 10 if parser.parse_args().quick else 50
    groups, dim, classes, per_class = 4, 128, 56, 2
    torch.manual_seed(0)
    labels = torch.arange(classes).repeat_interleave(per_class)
    vectors = normalize(torch.randn(len(labels), groups, dim), dim=-1)
    rivals = {"ours": ours(groups, dim), "reference": reference(groups)}
    times: dict[str, list[float]] = {name: [] for name in rivals}
    for round_ in range(rounds + 3):
        for name, loss in rivals.items():
            taken = seconds(loss, vectors, labels)
            if round_ >= 3:  # the first rounds warm up
                times[name].append(taken)
    medians = {name: statistics.median(values) for name, values in times.items()}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    result = {
        "ratio_margin": round(medians["ours"] / medians["reference"], 4),
        "ours_ms": round(medians["ours"] * 1e3, 2),
        "reference_ms": round(medians["reference"] * 1e3, 2),
        "peak_gib": round(peak, 3),
        "batch": len(labels),
        "groups": groups,
        "dim": dim,
        "rounds": rounds,
        "threads": torch.get_num_threads(),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
