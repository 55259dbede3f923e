"""Which pairs of a batch count, and averages over them."""

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from lookalike.errors import UsageError


def check_labels(labels: Int64[Tensor, " n"], *, classes: int) -> None:
    """Refuse class codes that are out of range.

    On an accelerator such an index ends the process with a misleading message.

    Raises:
        UsageError: A label is below zero or not below `classes`.
    """
    wrong = sorted(set(labels[(labels < 0) | (labels >= classes)].tolist()))
    if wrong:
        raise UsageError(
            f"labels must be class codes from 0 to {classes - 1}, got {wrong[:5]}: number the "
            f"training classes without gaps, or build the loss for more classes"
        )


def pairs_within(
    labels: Int64[Tensor, " n"], ids: Int64[Tensor, " n"]
) -> tuple[Bool[Tensor, "n n"], Bool[Tensor, "n n"]]:
    """Return the positive and the negative pairs of a batch against itself.

    Two rows of the same picture (equal ids) are neither: a picture that is in the batch twice is no
    positive of itself.

    >>> positive, negative = pairs_within(torch.tensor([0, 0, 0, 1]), torch.tensor([5, 6, 6, 7]))
    >>> positive.int().tolist()
    [[0, 1, 1, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]
    >>> negative[0].int().tolist()
    [0, 0, 0, 1]
    """
    same_class = labels[:, None] == labels
    return same_class & (ids[:, None] != ids), ~same_class


def pairs_with_classes(
    labels: Int64[Tensor, " n"], *, classes: int | Int64[Tensor, " c"]
) -> tuple[Bool[Tensor, "n c"], Bool[Tensor, "n c"]]:
    """Return the positive and the negative pairs of a batch against one proxy for each class.

    Args:
        labels: Class of each row.
        classes: Class of each proxy; a number stands for the classes below it.
    """
    columns = (
        classes if isinstance(classes, Tensor) else torch.arange(classes, device=labels.device)
    )
    own = labels[:, None] == columns
    return own, ~own


def mean_over(
    terms: Float[Tensor, "g *pairs"], kept: Bool[Tensor, "*#pairs"]
) -> Float[Tensor, " g"]:
    """Average the terms of each matrix over the pairs that are kept; zero where there are none."""
    return (terms * kept).flatten(1).sum(1) / kept.sum().clamp(min=1)
