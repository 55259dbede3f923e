"""A whole retrieval evaluation against one bare `faiss.IndexFlatIP` search with the same k.

The sizes are those of the test half of Stanford Online Products: 60,502 unit vectors of 512
numbers, 11,316 classes; R@1, 10 and 100, MAP@R and R-precision, queries being the gallery. Ours
includes the normalisation, the search with self-matches removed, the ties and the metrics; faiss
only adds the vectors and searches. Every run is a process of its own, ours and theirs in turn, so
that memory and threads of one are not those of the other. The last line is one JSON object;
`ratio_faiss` is our time over that of faiss, `peak_gib` our process's peak, vectors and imports
included.

Run: python benchmarks/evaluation.py [--quick] [--with-pml]
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

DIM = 512
KS = (1, 10, 100)


def data(images: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    vectors = random.standard_normal((images, DIM), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    # Every class has two images at least, as in the real set.
    labels = np.concatenate([np.arange(classes)] * 2 + [random.integers(0, classes, images)])
    return vectors, labels[:images]


def ours(vectors: np.ndarray, labels: np.ndarray) -> Callable[[], dict[str, float]]:
    from lookalike import metrics

    def run() -> dict[str, float]:
        result = metrics.retrieval(vectors, labels, ks=KS)
        return {"map_at_r": result.map_at_r, "r_precision": result.r_precision}

    return run


def faiss(vectors: np.ndarray, labels: np.ndarray) -> Callable[[], dict[str, float]]:
    import faiss as library

    def run() -> dict[str, float]:
        index = library.IndexFlatIP(DIM)
        index.add(vectors)
        index.search(vectors, max(KS))
        return {}

    return run


def pml(vectors: np.ndarray, labels: np.ndarray) -> Callable[[], dict[str, float]]:
    import torch
    from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator

    include = ("precision_at_1", "r_precision", "mean_average_precision_at_r")
    calculator = AccuracyCalculator(include=include, k=max(KS), device=torch.device("cpu"))
    given = torch.from_numpy(vectors), torch.from_numpy(labels)

    def run() -> dict[str, float]:
        found = calculator.get_accuracy(*given)
        return {"map_at_r": found["mean_average_precision_at_r"]}

    return run


RIVALS = {"ours": ours, "faiss": faiss, "pml": pml}


def work(rival: str, images: int, classes: int) -> None:
    """Be the process of one run: print what it took."""
    run = RIVALS[rival](*data(images, classes))
    start = time.perf_counter()
    found = run()
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({"seconds": seconds, "peak_gib": peak, **found}))


def ask(rival: str, images: int, classes: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--work", rival, str(images), str(classes)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    measured: dict[str, float] = json.loads(output.splitlines()[-1])
    print(f"{rival}: {measured['seconds']:.1f} s, {measured['peak_gib']:.2f} GiB", flush=True)
    return measured


def compare(images: int, classes: int, rounds: int, rivals: list[str]) -> dict[str, float]:
    runs: dict[str, list[dict[str, float]]] = {rival: [] for rival in rivals}
    for _ in range(rounds):
        for rival in rivals:
            runs[rival].append(ask(rival, images, classes))

    def median(rival: str, key: str) -> float:
        return statistics.median(run[key] for run in runs[rival])

    result = {"ratio_faiss": round(median("ours", "seconds") / median("faiss", "seconds"), 4)}
    if "pml" in rivals:
        result["ratio_pml"] = round(median("ours", "seconds") / median("pml", "seconds"), 4)
    for rival in rivals:
        result[f"{rival}_seconds"] = round(median(rival, "seconds"), 2)
        result[f"{rival}_peak_gib"] = round(median(rival, "peak_gib"), 3)
    result["peak_gib"] = result.pop("ours_peak_gib")
    sizes = {"images": images, "classes": classes, "dim": DIM, "k": max(KS), "rounds": rounds}
    return result | sizes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="15,000 images, three rounds")
    parser.add_argument("--with-pml", action="store_true", help="pytorch-metric-learning too")
    parser.add_argument("--work", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        rival, images, classes = options.work
        work(rival, int(images), int(classes))
        return
    rivals = ["ours", "faiss", "pml"] if options.with_pml else ["ours", "faiss"]
    sizes = (15_000, 2_800, 3) if options.quick else (60_502, 11_316, 1)
    print(json.dumps(compare(*sizes, rivals)))


if __name__ == "__main__":
    main()
