"""What does it cost to explain a pair, and to follow its score while cells are hidden?

For every head, untrained over the bundled weights: `explain_pairs` on two pictures, nothing drawn,
against `Model.embed` of the same two, in turns and from files; the median of many rounds. Then the
deletion curve of many pairs, masks and scores included, against embedding as many pictures of the
same size in the same batches.

The last line is one JSON object: `ratio_explain_HEAD` for each head, `ratio_explain` the largest
of them, `ratio_deletion` the time of a masked picture over that of a plain one, with the pictures
a second of either.

Run: python benchmarks/explaining.py [--quick]
"""

import argparse
import json
import time
from collections.abc import Callable, Mapping
from statistics import median

import torch

from lookalike import create_model, heads, similarity
from lookalike.backbones import EfficientNetLite0
from lookalike.data import demo_catalog
from lookalike.explanation import explain_pairs
from lookalike.explanation.interventions.embedding import embed_images
from lookalike.explanation.measures import (
    MaskedPairs,
    Masking,
    PairedPictures,
    same_class_pairs,
)
from lookalike.model import Model

DIM = 512
BATCH = 64


def models() -> Mapping[str, Model]:
    """Return a model with each head: 512 numbers, in groups where it has such."""
    torch.manual_seed(0)
    plain = (
        heads.Pooled(),
        heads.Single(),
        heads.LinearGroups(groups=4),
        heads.Gated(groups=4),
        heads.Channel(groups=4),
        heads.Attentive(groups=4),
        heads.Ensemble(groups=4),
        heads.MultiHead(groups=4),
    )
    built = {head.kind: create_model(EfficientNetLite0(), head=head, dim=DIM) for head in plain}
    graph = create_model(
        EfficientNetLite0(stages=5),
        head=heads.Levels(),
        similarity=similarity.Graph(),
        dim=DIM,
    )
    with torch.no_grad():
        size = graph.preprocessing.size
        graph.similarity.observe(graph.train()(torch.randn(4, 3, size, size)))
        graph.similarity.settle()
    return {**built, "levels": graph.eval()}


def seconds(task: Callable[[], object]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def in_turns(first: Callable[[], object], second: Callable[[], object], rounds: int) -> list[float]:
    """Return the median times of two tasks that take turns, after a round to warm up."""
    times = [(seconds(first), seconds(second)) for _ in range(rounds + 1)][1:]
    return [median(own) for own in zip(*times, strict=True)]


def explaining(model: Model, rounds: int) -> tuple[float, float]:
    """Time an explanation of two pictures, and their embedding."""
    catalog = demo_catalog().split("test")
    ((first, second),) = same_class_pairs(catalog, 1, seed=0)
    pair = catalog.path(first), catalog.path(second)
    explained, embedded = in_turns(
        lambda: explain_pairs(model, [pair]), lambda: model.embed(pair), rounds
    )
    return explained, embedded


def deletion(model: Model, pairs: int, rounds: int) -> tuple[float, float, int]:
    """Time pairs' scores at every step of a curve, and embedding as many pictures; say how many."""
    catalog = demo_catalog().split("test")
    drawn = same_class_pairs(catalog, pairs, seed=0)
    read = PairedPictures.read(catalog, drawn, model.preprocessing)
    a, b = read.a, read.b
    masking = Masking()
    masked = MaskedPairs.of(model, a, b, masking, batch_size=BATCH)
    cells = 7
    counts = masking.counts((cells, cells))[1:-1, None, None]
    order = torch.rand(len(a), cells * cells).argsort(dim=1).view(len(a), 1, cells, cells)
    hidden = order < counts
    images = a.repeat_interleave(len(counts), dim=0)
    curve, plain = in_turns(
        lambda: masked.scores(hidden, hidden),
        lambda: embed_images(model, images, batch_size=BATCH),
        rounds,
    )
    return curve, plain, len(images)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few rounds, to see that it works")
    quick = parser.parse_args().quick
    result: dict[str, float | int] = {}
    built = models()
    for name, model in built.items():
        explained, embedded = explaining(model, 3 if quick else 40)
        result[f"ratio_explain_{name}"] = round(explained / embedded, 3)
        print(f"{name:<10} explain {explained * 1e3:7.2f} ms, embed {embedded * 1e3:7.2f} ms")
    curve, plain, count = deletion(built["attentive"], 8 if quick else 32, 1 if quick else 5)
    print(
        json.dumps(
            {
                "ratio_explain": max(result.values()),
                **result,
                "ratio_deletion": round(curve / plain, 3),
                "masked_per_second": round(count / curve, 1),
                "embedded_per_second": round(count / plain, 1),
                "masked_pictures": count,
                "batch": BATCH,
                "threads": torch.get_num_threads(),
            }
        )
    )


if __name__ == "__main__":
    main()
