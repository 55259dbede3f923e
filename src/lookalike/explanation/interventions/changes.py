"""Changes of pictures that an explanation should follow, or should not respond to."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.data import normalise
from lookalike.explanation.interventions.moves import Move
from lookalike.preprocessing import Preprocessing

HALVINGS = 8
"""How often noise is halved at most."""


@dataclass(frozen=True, slots=True, eq=False)
class PictureChange:
    """Pictures that were changed.

    Args:
        name: What was done.
        images: The pictures afterwards, normalised pixels.
        move: How the object has moved.
    """

    name: str
    images: Float[Tensor, "n 3 s s"]
    move: Move


def moved(
    images: Float[Tensor, "n 3 s s"],
    preprocessing: Preprocessing,
    *,
    cells: int,
    scale: float,
    seed: int,
) -> list[PictureChange]:
    """Shift, mirror and shrink pictures on the network's input.

    Args:
        images: Normalised pixels.
        preprocessing: Its background is filled in where a move uncovers ground.
        cells: Cells along a side of the maps; a shift is by one of them, and by about half of one,
            in whole pixels, each picture in one of the four directions.
        scale: Of the object, about the centre.
        seed: Of the directions.
    """
    count, side = len(images), images.shape[-1]
    random = torch.Generator().manual_seed(seed)
    ways = torch.tensor([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    way = ways[torch.randint(4, (count,), generator=random)]
    cell = max(1, round(side / cells))
    half = max(1, round(cell / 2))
    still = torch.zeros(count, 2)
    moves = {
        "shift by a cell": Move(way * (2 * cell / side)),
        "shift by pixels": Move(way * (2 * half / side)),
        "flip": Move(still, flip=True),
        "scale": Move(still, scale=scale),
    }
    ground = _colour(preprocessing, preprocessing.background)
    return [PictureChange(name, move.images(images, ground), move) for name, move in moves.items()]


def quiet_noise(
    images: Float[Tensor, "n 3 s s"],
    preprocessing: Preprocessing,
    *,
    strongest: float,
    quiet: Callable[[Float[Tensor, "n 3 s s"]], bool],
    seed: int,
) -> tuple[PictureChange, float]:
    """Add noise, and halve it until it is weak enough.

    Args:
        images: Normalised pixels.
        preprocessing: Of the pixels; none leaves the range between black and white.
        strongest: Standard deviation to begin with, in steps of 255.
        quiet: Says whether the noise in some pictures is weak enough.
        seed: Of the noise; halving keeps its pattern.

    Returns:
        The pictures, and the noise's standard deviation; it was halved `HALVINGS` times if none was
        weak enough before.
    """
    random = torch.Generator().manual_seed(seed)
    pattern = torch.randn(images.shape, generator=random)
    pattern /= 255 * torch.tensor(preprocessing.std)[:, None, None]
    black, white = (_colour(preprocessing, (v,) * 3)[:, None, None] for v in (0, 255))

    def noise(strength: float) -> Float[Tensor, "n 3 s s"]:
        return (images + strength * pattern).clamp(black, white)

    strengths = [strongest / 2**halvings for halvings in range(HALVINGS + 1)]
    strength = next((each for each in strengths if quiet(noise(each))), strengths[-1])
    return PictureChange("noise", noise(strength), Move(torch.zeros(len(images), 2))), strength


def _colour(preprocessing: Preprocessing, colour: tuple[int, int, int]) -> Float[Tensor, " 3"]:
    """Return a colour as the network's input."""
    pixel = torch.tensor(colour, dtype=torch.uint8).view(1, 3, 1, 1)
    return normalise(pixel, preprocessing).view(3)
