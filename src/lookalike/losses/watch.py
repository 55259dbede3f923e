"""Watching for collapse: whether embeddings still differ from each other."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.types import Embedding


@dataclass(frozen=True, slots=True)
class Spread:
    """How far the embeddings of a batch are spread.

    Args:
        mean_distance: Mean distance of two pictures, in [0, 2]; near √2 for random directions in
            many dimensions, near 0 for a collapsed model. NaN for a single picture.
        effective_rank: Number of directions in use, from 1 (collapsed) to the batch's size or
            the embedding's, whichever is less.
    """

    mean_distance: float
    effective_rank: float


@torch.no_grad()
def spread(embedding: Embedding) -> Spread:
    """Measure the spread of a batch of embeddings, all groups side by side.

    The effective rank is the exponential of the entropy of the singular values divided by their
    sum (Roy & Vetterli, EUSIPCO 2007). Both numbers come from the n×n matrix of inner products,
    so a few hundred pictures cost milliseconds. Both are NaN if a number is not finite.

    >>> round(spread(Embedding.of(torch.eye(8))).effective_rank, 3)
    8.0
    >>> round(spread(Embedding.of(torch.ones(8, 3))).effective_rank, 3)
    1.0
    """
    vectors = torch.nn.functional.normalize(embedding.flat().double(), dim=1)
    products = vectors @ vectors.T
    if not bool(products.isfinite().all()):
        return Spread(float("nan"), float("nan"))
    return Spread(_mean_distance(products), _effective_rank(products))


def _mean_distance(products: Float[Tensor, "n n"]) -> float:
    squares = products.diagonal()
    squared = (squares[:, None] + squares - 2 * products).clamp(min=0)
    n = len(products)
    above = squared.sqrt().triu(diagonal=1).sum()
    return float(above / (n * (n - 1) / 2)) if n > 1 else float("nan")


def _effective_rank(products: Float[Tensor, "n n"]) -> float:
    singular = torch.linalg.eigvalsh(products).clamp(min=0).sqrt()
    shares = singular / singular.sum().clamp(min=torch.finfo(singular.dtype).tiny)
    return float(torch.special.entr(shares).sum().exp())
