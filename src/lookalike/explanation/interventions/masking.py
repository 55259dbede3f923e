"""How cells of pictures are hidden: on which grid, in which order, and what they then show."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor
from torch.nn import functional

from lookalike.errors import UsageError
from lookalike.explanation.saliency import to_grid

Fill = Literal["blur", "mean"]
"""What a hidden cell shows: the picture blurred, or the picture's own mean colour."""
FILLS: Mapping[Fill, str] = {"blur": "blurred", "mean": "mean colour"}
"""Every fill, and what hidden cells are then called."""
Of = Literal["a", "b", "both"]
"""Which picture of a pair is masked; of "both", each in turn."""
Grid = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Masking:
    """How pictures are masked, cell by cell.

    Args:
        fill: "blur" shows the picture under a Gaussian blur, "mean" its mean colour.
        of: The picture that is masked while the other one is whole; "both" masks each in turn and
            takes the mean of the two scores. Both are never masked together: two blank pictures are
            alike.
        radius: Standard deviation of the blur, as a share of the input's side.
        cells: Cells along a side at most; a finer map is averaged by area.
        steps: Steps from the whole picture to none of it, at most one a cell.
    """

    fill: Fill = "blur"
    of: Of = "a"
    radius: float = 0.1
    cells: int = 12
    steps: int = 16

    def __post_init__(self) -> None:
        if not 0 < self.radius <= 1 or self.cells < 1 or self.steps < 1:
            raise UsageError(
                f"cannot mask with radius {self.radius}, {self.cells} cells and {self.steps} "
                "steps: the radius is in (0, 1], and there is at least one cell and one step"
            )

    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)

    def grid(self, maps: Float[Tensor, "n h w"]) -> Grid:
        """Return the grid on which the cells of maps are ordered: their own, or a coarser one."""
        return min(maps.shape[1], self.cells), min(maps.shape[2], self.cells)

    def counts(self, grid: Grid) -> Int64[Tensor, " k"]:
        """Return how many cells are hidden at each step, from none to all.

        >>> Masking(steps=4).counts((3, 3))
        tensor([0, 2, 4, 6, 9])
        """
        total = grid[0] * grid[1]
        steps = min(self.steps, total)
        return torch.arange(steps + 1) * total // steps


def fill_in(images: Float[Tensor, "n 3 s s"], masking: Masking) -> Float[Tensor, "n 3 s s"]:
    """Return what hidden cells of each picture show."""
    if masking.fill == "mean":
        return images.mean(dim=(2, 3), keepdim=True).expand_as(images)
    places = torch.arange(images.shape[-1], dtype=torch.float64)
    away = (places[:, None] - places) / (masking.radius * images.shape[-1])
    # Each row sums to one: at the edges the blur is over pixels that exist.
    kernel = torch.softmax(-away.square() / 2, dim=1).to(images)
    return kernel @ images @ kernel.T


def hide(
    images: Float[Tensor, "n 3 s s"],
    filled: Float[Tensor, "n 3 s s"],
    hidden: Bool[Tensor, "n h w"],
) -> Float[Tensor, "n 3 s s"]:
    """Return pictures in which hidden cells show what fills them.

    Args:
        images: Normalised pixels.
        filled: What hidden cells show, from `fill_in`.
        hidden: Which cells of each picture, on any grid.
    """
    pixels = torch.arange(images.shape[-1])
    down, across = (pixels * cells // len(pixels) for cells in hidden.shape[1:])
    return torch.where(hidden[:, down][:, :, across][:, None], filled, images)


def on_grid(maps: Float[Tensor, "n h w"], grid: Grid) -> Float[Tensor, "n gh gw"]:
    """Bring maps to the cells that are masked: a finer map by area, a coarser one bilinearly."""
    height, width = maps.shape[1:]
    if height >= grid[0] and width >= grid[1]:
        return to_grid(maps, grid)
    return functional.interpolate(maps[:, None], grid, mode="bilinear")[:, 0]


def places(values: Float[Tensor, "n h w"], ties: Float[Tensor, "n h w"]) -> Int64[Tensor, "n h w"]:
    """Return each cell's place in the order of a map: 0 is the highest.

    Args:
        values: The maps.
        ties: Random numbers; of equal cells the one with the lower number comes first.

    >>> places(torch.tensor([[[1.0, 3.0, 3.0]]]), torch.tensor([[[0.5, 0.4, 0.1]]]))
    tensor([[[2, 1, 0]]])
    """
    mixed = ties.flatten(1).argsort(dim=1)
    ranked = values.flatten(1).gather(1, mixed).argsort(dim=1, descending=True, stable=True)
    return mixed.gather(1, ranked).argsort(dim=1).view(values.shape)
