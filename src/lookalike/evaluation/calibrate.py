"""Measure what a model's scores mean, on pairs of pictures that it was not trained on."""

import numpy as np
import torch
from numpy.typing import NDArray

from lookalike.calibration import Calibration
from lookalike.errors import LookalikeError, UsageError
from lookalike.evaluation.vectors_and_labels import Labels, codes_of
from lookalike.protocols import Similarity
from lookalike.types import Embedding

QUANTILES = 201
RATES = tuple(10 ** -(step / 10) for step in range(10, 41))
"""1e-1 to 1e-4, ten per power of ten."""
FEWEST_MATCHES = 10
"""A rate is measured if at least this many pairs decide it."""
BLOCK = 8192
"""Pairs that are scored at once."""


def calibrate(
    similarity: Similarity,
    embedding: Embedding,
    labels: Labels,
    *,
    max_pairs: int = 200_000,
    seed: int = 0,
    measured_on: str = "",
) -> Calibration:
    """Score pairs of one class and pairs of two, and keep their quantiles.

    If there are at most `max_pairs` pairs of a kind, each counts once. Otherwise that many
    are drawn, each pair with the same probability.

    Args:
        similarity: Scores the pairs.
        embedding: Pictures of classes that the model was not trained on.
        labels: Their classes.
        max_pairs: The most pairs of each kind, at least 1. It bounds the memory.
        seed: Of the draw.
        measured_on: Which pictures these are, in words, for the reader of a score.

    Raises:
        UsageError: There is no pair of one kind, or the labels do not fit.
        LookalikeError: A score is not finite.
    """
    codes = codes_of(labels, len(embedding), "labels")
    if max_pairs < 1:
        raise UsageError(f"max_pairs = {max_pairs}: allow at least one pair")
    order = np.argsort(codes, kind="stable")
    sizes = np.unique(codes, return_counts=True)[1]
    if len(sizes) < 2 or sizes.max() < 2:
        raise UsageError(
            f"{len(codes)} pictures of {len(sizes)} classes: calibration needs two pictures of one "
            "class and a picture of another"
        )
    # Sorted by class, the partners of a picture within its class and in later classes are
    # contiguous.
    places = np.arange(len(codes))
    end = np.repeat(np.cumsum(sizes), sizes)
    random = np.random.default_rng(seed)
    pairs = _choose(places + 1, end, max_pairs, random)
    same = _scores(similarity, embedding, order[pairs])
    pairs = _choose(end, np.full_like(end, len(codes)), max_pairs, random)
    different = _scores(similarity, embedding, order[pairs])
    rates = [rate for rate in RATES if rate * len(different) >= FEWEST_MATCHES]
    return Calibration(
        same=_quantiles(same),
        different=_quantiles(different),
        same_pairs=len(same),
        different_pairs=len(different),
        rates=tuple(rates),
        thresholds=tuple(_threshold(different, rate) for rate in rates),
        measured_on=measured_on,
    )


def _choose(
    start: NDArray[np.int64], stop: NDArray[np.int64], most: int, random: np.random.Generator
) -> NDArray[np.int64]:
    """Choose pairs, 2×n, of a place i and one of its partners `start[i]` to `stop[i] - 1`."""
    ends = np.cumsum(stop - start)
    total = int(ends[-1])
    chosen = np.arange(total) if total <= most else random.choice(total, most, replace=False)
    i = np.searchsorted(ends, chosen, side="right")
    return np.stack([i, stop[i] - (ends[i] - chosen)])


def _scores(
    similarity: Similarity, embedding: Embedding, pairs: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Score pairs of rows in blocks and sort."""
    left, right = torch.from_numpy(pairs)
    blocks = [
        similarity.pairs(embedding[left[i : i + BLOCK]], embedding[right[i : i + BLOCK]])
        for i in range(0, len(left), BLOCK)
    ]
    scores: NDArray[np.float32] = torch.cat(blocks).detach().float().cpu().numpy()
    if not np.isfinite(scores).all():
        raise LookalikeError("a score is not finite: look for NaN or infinity in the embedding")
    return np.sort(scores)


def _quantiles(scores: NDArray[np.float32]) -> tuple[float, ...]:
    return tuple(np.quantile(scores.astype(np.float64), np.linspace(0, 1, QUANTILES)).tolist())


def _threshold(scores: NDArray[np.float32], rate: float) -> float:
    """Return the lowest float32 that no more than this share of the sorted scores reaches."""
    allowed = int(rate * len(scores))
    return float(np.nextafter(scores[-allowed - 1], np.float32(np.inf)))
