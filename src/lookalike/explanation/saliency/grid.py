"""From one grid to another: the sum of a map does not change."""

from jaxtyping import Float
from torch import Tensor

from lookalike.similarity.graph.places import overlaps


def to_grid(maps: Float[Tensor, "n h w"], grid: tuple[int, int]) -> Float[Tensor, "n gh gw"]:
    """Bring maps to a coarser or finer grid over the same square.

    A cell that lies in several new ones is divided among them by area, so each map keeps its sum.

    Args:
        maps: Any height and width.
        grid: The new height and width.

    >>> import torch
    >>> to_grid(torch.tensor([[[1.0, 2.0, 3.0]]]), (1, 2))
    tensor([[[2., 4.]]])
    """
    height, width = maps.shape[1:]
    down, across = overlaps(height, grid[0]).to(maps), overlaps(width, grid[1]).to(maps)
    return down.T @ maps @ across
