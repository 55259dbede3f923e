"""A graph's distance at CUB's size against the released way of computing it, and its search.

5,924 images, 3 levels of 512 nodes, 128 links a node. The released way is two dense products with
the links for every pair, on tensors of images × images × nodes. It is run on a sample of 64 rows at
once, most of a GiB a tensor, and its time taken for all; how it does on 4 rows at once, which suits
the cache better, is told too. Ours, on the same numbers, is the full matrix, and the ten best of
every image by candidates and exactly. Values come from a trained model, `--run RUN --data DATA`,
whose pictures are drawn again with noise up to that size; without one they are made up, with
classes, and the result says so. α and β are the model's own, or near where training starts.

The last line is one JSON object. `ratio_matrix` is the released time for the matrix over ours,
which makes use of its symmetry, and `ratio_two_sets` that of a pair where there is none to use.
`ratio_candidates` and `ratio_exact` are the released time for the matrix over that of the search,
`matrix_peak_gib` is the peak of a process that does nothing but make values up and score all of
them, imports, values and result included, `search_peak_gib` that of both searches together,
`matmul_share` the products made for the matrix over those that the machine could make in the same
time, and `scored_per_query` how many of the gallery the bound could not exclude.

Run: python benchmarks/graph.py [--quick] [--run RUN --data DATA] [--alpha ALPHA]
"""

import argparse
import json
import multiprocessing
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.functional import normalize

import lookalike as la
from lookalike.similarity import Graph, GraphSimilarity, top_k, top_k_candidates
from lookalike.types import Embedding, Level

K = 10
PER_CLASS = 60


def made_up(images: int, nodes: int) -> tuple[GraphSimilarity, Embedding]:
    """Return values with classes: levels that agree on them the more the higher they are."""
    generator = torch.Generator().manual_seed(0)

    def noise(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator)

    classes = -(-images // PER_CLASS)
    labels = torch.arange(images) % classes
    levels = []
    for within, certainty in ((2.0, 0.002), (1.4, 0.004), (1.0, 0.012)):
        vectors = normalize(noise(classes, nodes)[labels] + within * noise(images, nodes), dim=1)
        sure = certainty * (0.3 * (noise(1, nodes) + noise(images, nodes))).exp()
        levels.append(Level(vectors[..., None], sure))
    similarity = Graph(k=min(128, nodes)).build(nodes, 3)
    with torch.no_grad():
        similarity.alpha += 0.1 * noise(2, nodes)
        similarity.beta += 0.02 * noise(2, nodes)
    links = 0.1 * noise(2, nodes, nodes) * (0.5 * noise(2, 1, nodes)).exp()
    similarity.links.observe(links, images=1)
    similarity.settle()
    return similarity, Embedding(tuple(levels))


def resampled(run: Path, data: str, images: int, nodes: int) -> tuple[GraphSimilarity, Embedding]:
    """Return a trained model's similarity, and its embedding drawn again.

    Two draws of a picture are about as far apart as a picture and its nearest neighbour, level by
    level; certainties get the spread that a node's has over the pictures, halved.
    """
    model = la.load(run)
    similarity = model.similarity
    if not isinstance(similarity, GraphSimilarity):
        raise SystemExit(f"{run}: this model's similarity is no graph")
    e = model.embed_catalog(la.data.open_named(data)).embedding
    generator = torch.Generator().manual_seed(0)
    rows = torch.randint(len(e), (images,), generator=generator)
    levels = []
    for level in e.levels:
        x, sure = level.vectors.squeeze(2), level.certainty
        gap = torch.cdist(x, x).fill_diagonal_(torch.inf).amin(1).median() / 2**0.5
        shift = normalize(torch.randn(images, x.shape[1], generator=generator), dim=1)
        vectors = normalize(x[rows] + gap * shift, dim=1)
        spread = sure.clamp(min=1e-12).log().std(0) / 2
        factor = (spread * torch.randn(images, x.shape[1], generator=generator)).exp()
        levels.append(Level(vectors[..., None], sure[rows] * factor))
    return similarity.cpu().eval(), Embedding(tuple(levels))


@torch.no_grad()
def released(similarity: GraphSimilarity, a: Embedding, b: Embedding) -> Tensor:
    """Return d̂ of all against all as the released code does: every pair's nodes at once."""
    distance = (a.levels[0].vectors[:, None, :, 0] - b.levels[0].vectors[None, :, :, 0]) ** 2
    for i in range(1, similarity.levels):
        x, y = a.levels[i], b.levels[i]
        own = (x.vectors[:, None, :, 0] - y.vectors[None, :, :, 0]) ** 2
        eta = x.certainty[:, None] * y.certainty[None]
        p = similarity.alpha[i - 1] * eta + similarity.beta[i - 1]
        p = torch.sigmoid(similarity.config.kappa * p)
        heard = torch.einsum("ij,abj->abi", similarity.links.kept[i - 1], distance)
        distance = p * own + (1 - p) * heard
    return distance.sum(2)


def timed(task: Callable[[], Tensor]) -> tuple[float, Tensor]:
    start = time.perf_counter()
    result = task()
    return time.perf_counter() - start, result


def released_seconds(
    similarity: GraphSimilarity, e: Embedding, *, rows: int
) -> tuple[float, Tensor]:
    """Return the time for all pairs, from three blocks of rows, and the first block's distances."""
    blocks = [e[start : start + rows] for start in (0, rows, 2 * rows)]
    times = [timed(lambda block=block: released(similarity, block, e)) for block in blocks]
    return sorted(seconds for seconds, _ in times)[1] * len(e) / rows, times[0][1]


def products_per_second(nodes: int) -> float:
    """Return how many products of a pair with one level's links the machine does in a second."""
    x, links = torch.rand(4096, nodes), torch.rand(nodes, nodes)
    out = torch.empty_like(x)
    times = [timed(lambda: torch.mm(x, links, out=out))[0] for _ in range(12)]
    return len(x) / sorted(times)[len(times) // 2]


def peak_gib() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 3)


def matrix_peak_gib(images: int, nodes: int) -> float:
    """Return the peak memory of a process that scores all of so many pictures."""
    similarity, e = made_up(images, nodes)
    similarity.matrix(e, e)
    return peak_gib()


def in_own_process(task: Callable[[int, int], float], *sizes: int) -> float:
    """Return what a task returns in a process that has done nothing else."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as pool:
        return pool.submit(task, *sizes).result()


def searches(similarity: GraphSimilarity, query: Embedding, e: Embedding) -> dict[str, float]:
    """Time both searches of the gallery for its first images, and count what was scored."""
    scored = 0
    pairs = similarity.pairs

    def counting(a: Embedding, b: Embedding) -> Tensor:
        nonlocal scored
        scored += len(a)
        return pairs(a, b)

    ids = range(len(query))
    seconds, near = timed(lambda: top_k_candidates(similarity, query, e, K, query_ids=ids).ids)
    similarity.pairs = counting
    exact_seconds, exact = timed(lambda: top_k(similarity, query, e, K, query_ids=ids).ids)
    del similarity.pairs
    found = (near[:, :, None] == exact[:, None]).any(1).float().mean()
    return {
        "candidates_seconds": round(seconds, 3),
        "exact_seconds": round(exact_seconds, 3),
        "candidate_recall": round(float(found), 5),
        "scored_per_query": round(scored / len(query), 1),
    }


def growth(
    values: Callable[[int], tuple[GraphSimilarity, Embedding]], sizes: list[int], queries: int
) -> dict[str, dict[str, float]]:
    """Return milliseconds a query, by the size of the gallery."""
    rows = {}
    for size in sizes:
        similarity, e = values(size)
        query = e[:queries]
        seconds, _ = timed(lambda s=similarity, e=e: s.matrix(e[:4], e))
        found = searches(similarity, query, e)
        rows[str(size)] = {
            "all_scores_ms": round(seconds * 1e3 / 4, 2),
            "candidates_ms": round(found["candidates_seconds"] * 1e3 / queries, 3),
            "exact_ms": round(found["exact_seconds"] * 1e3 / queries, 3),
            "scored_per_query": found["scored_per_query"],
        }
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it works")
    parser.add_argument("--run", type=Path, help="folder of a trained graph model")
    parser.add_argument("--data", help="the pictures whose values are drawn again")
    parser.add_argument("--alpha", type=float, default=1.0, help="multiplies every α")
    asked = parser.parse_args()
    if (asked.run is None) != (asked.data is None):
        parser.error("--run and --data go together")
    images, nodes = (600, 64) if asked.quick else (5924, 512)
    sizes = [250, 500, 1000] if asked.quick else [1000, 4000, 16000]

    def values(count: int) -> tuple[GraphSimilarity, Embedding]:
        similarity, e = (
            made_up(count, nodes)
            if asked.run is None
            else resampled(asked.run, asked.data, count, nodes)
        )
        with torch.no_grad():
            similarity.alpha *= asked.alpha
        return similarity, e

    matrix_peak = in_own_process(matrix_peak_gib, images, nodes)
    similarity, e = values(images)
    nodes, upper = similarity.nodes, similarity.levels - 1
    similarity.matrix(e[:2], e)  # a first pass warms up
    seconds, scores = timed(lambda: similarity.matrix(e, e))
    some = e[: 320 if not asked.quick else 64]
    two_sets, _ = timed(lambda: similarity.matrix(some, e))
    found = searches(similarity, e, e)
    search_peak = peak_gib()

    checked = scores[:50].clone().fill_diagonal_(-torch.inf).topk(K)
    exact = top_k(similarity, e[:50], e, K, query_ids=range(50))
    agree = torch.equal(checked.values, exact.scores)
    naive, sample = released_seconds(similarity, e, rows=64)
    in_small, _ = released_seconds(similarity, e, rows=4)
    gap = float((sample + scores[: len(sample)]).abs().max())
    computed = images * (images + 1) / 2
    result = {
        "ratio_matrix": round(naive / seconds, 3),
        "ratio_two_sets": round(naive / images * len(some) / two_sets, 3),
        "ratio_candidates": round(naive / found["candidates_seconds"], 2),
        "ratio_exact": round(naive / found["exact_seconds"], 2),
        "matrix_peak_gib": matrix_peak,
        "search_peak_gib": search_peak,
        "matrix_seconds": round(seconds, 2),
        "pairs_per_second": round(images**2 / seconds),
        "released_seconds": round(naive, 1),
        "released_seconds_4_rows_at_once": round(in_small, 1),
        "released_pairs_per_second": round(images**2 / naive),
        "matmul_share": round(computed * upper / seconds / products_per_second(nodes), 3),
        **found,
        "excluded_share": round(1 - found["scored_per_query"] / (images - 1), 5),
        "exact_equals_matrix": agree,
        "largest_gap_to_released": gap,
        "gallery": growth(values, sizes, 50 if asked.quick else 500),
        "values": "made up" if asked.run is None else f"drawn again from {asked.run}",
        "alpha_factor": asked.alpha,
        "images": images,
        "nodes": nodes,
        "links": similarity.config.k,
        "threads": torch.get_num_threads(),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
