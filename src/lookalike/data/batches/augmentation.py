"""Augmentation of training pictures: each is cut, then a batch at a time is warped and coloured.

A random box is cut from each picture alone, since pictures differ in size and need an antialiased
filter. The rest is done for a batch of equal squares at once: mirror, turn, scale and move are one
matrix, so each pixel is resampled once, and the changes of colour and the normalisation are another
one. torchvision v2 draws once for each call, so it must be called for each picture: on the demo's
policy it reaches a quarter of our pictures per second, on a crop and a mirror 12 % more
(`python benchmarks/augmentation.py`). Work this small is slower on several threads, so it is done
in numpy, on one.

Here a box is left, top, right, bottom in pixels, and "chances" are random numbers in [0, 1).
"""

from collections.abc import Callable, Sequence
from enum import IntEnum
from math import ceil, exp, log
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from jaxtyping import Float, Float32, Float64, UInt8
from PIL import Image
from pydantic import Field
from torch import Tensor
from torch.nn.functional import grid_sample

from lookalike.config import Config
from lookalike.data.catalog.entries import Box
from lookalike.data.pictures.network_input import cut
from lookalike.preprocessing import Preprocessing

Share = Annotated[float, Field(ge=0, le=1)]
Area = Annotated[float, Field(gt=0, le=1)]
Factor = Annotated[float, Field(gt=0)]
Range = tuple[float, float]
Policy = Literal["none", "trivial_augment", "rand_augment"]

Numbers = TypeVar("Numbers", float, npt.NDArray[np.float64])
Floats = npt.NDArray[np.float64]
Chances = Float64[npt.NDArray[Any], "n slots"]

# RGB to brightness and two colour axes (YIQ); a change of hue turns the two.
_LUMA = np.array([0.2989, 0.587, 0.114])
_YIQ = np.array([_LUMA / _LUMA.sum(), [0.5959, -0.2746, -0.3213], [0.2115, -0.5227, 0.3112]])
_YIQ[1:] -= _YIQ[1:].mean(axis=1, keepdims=True)  # so that grey has no colour, exactly
_RGB = np.linalg.inv(_YIQ)


Slot = IntEnum(
    "Slot",
    "CROP_AREA CROP_RATIO CROP_X CROP_Y FLIP ANGLE MOVE_X MOVE_Y SCALE BRIGHTNESS CONTRAST "
    "SATURATION HUE ERASE ERASE_AREA ERASE_X ERASE_Y POLICY",
    start=0,
)
"""What each of a picture's random numbers decides; the order fixes the numbers that are drawn."""


class Augmentation(Config):
    """How training pictures are varied; the default is a random resized crop and a mirror.

    `crop` says what is cut out. "resized" takes a box with a share `crop_area` of the picture and
    stretches it to the input. "random" moves the box of the evaluation to a random place of the
    picture, or of the square that it was padded to. This needs pictures that are not square, or
    preprocessing whose `resize` is larger than its `size`. "none" takes the evaluation's own box.
    """

    crop: Literal["resized", "random", "none"] = "resized"
    crop_area: tuple[Area, Area] = (0.2, 1.0)
    """Smallest and largest share of the picture's area, for crop = resized."""
    crop_ratio: tuple[Factor, Factor] = (0.75, 4 / 3)
    """Smallest and largest width / height, for crop = resized."""
    policy: Policy = "none"
    """A policy of torchvision v2 for each cut picture: TrivialAugmentWide or RandAugment.

    It takes about a millisecond per picture, ten times what all the rest takes; use workers.
    """
    flip: Share = 0.5
    """Probability of a mirror image."""
    degrees: Annotated[float, Field(ge=0, le=180)] = 0.0
    """Turned by up to this, either way."""
    translate: Share = 0.0
    """Moved by up to this share of the side, each way."""
    scale: tuple[Factor, Factor] = (1.0, 1.0)
    """Smallest and largest enlargement; the room around a smaller picture is background."""
    brightness: Share = 0.0
    """Multiplied by 1 ± this."""
    contrast: Share = 0.0
    """Stretched about the mean grey by 1 ± this."""
    saturation: Share = 0.0
    """Stretched about each pixel's grey by 1 ± this."""
    hue: Annotated[float, Field(ge=0, le=0.5)] = 0.0
    """Turned by up to this share of the colour circle, either way."""
    erase: Share = 0.0
    """Probability that a square is replaced by the mean colour."""
    erase_area: tuple[Area, Area] = (0.02, 0.2)
    """Smallest and largest share of the input that is erased."""

    def build(self, preprocessing: Preprocessing) -> "Augmenter":
        """Make the augmentation for inputs of this kind."""
        return Augmenter(self, preprocessing)


class Augmenter:
    """An augmentation for a network's input.

    Args:
        config: What is varied, and by how much.
        preprocessing: What the network's input is.

    Attributes:
        fixed: Whether `cut` gives the same for any chances, so that it needs to be done only once.
        keep_side: Shorter side that a picture needs so that every cut is sharp, pixels.
    """

    def __init__(self, config: Augmentation, preprocessing: Preprocessing) -> None:
        self.config = config
        self.preprocessing = preprocessing
        self.fixed = config.crop == "none" and config.policy == "none"
        self._policy = _policy(config.policy, preprocessing.background)
        self.keep_side = preprocessing.resize or preprocessing.size
        if config.crop == "resized":
            self.keep_side = ceil(preprocessing.size / min(config.crop_area) ** 0.5)
        scale = 255 * np.array(preprocessing.std)
        self._gain = 1 / scale[:, None]
        self._shift = -(np.array(preprocessing.mean) / preprocessing.std)[:, None]
        self._background = np.array(preprocessing.background, np.float32)[:, None]

    def cut(self, picture: Image.Image, chance: Floats) -> UInt8[npt.NDArray[Any], "3 s s"]:
        """Cut one decoded picture to the input's size."""
        c, size = self.config, picture.size
        box = self.preprocessing.geometry(*size).box
        if c.crop == "random":
            box = moved_box(box, self.preprocessing.canvas(*size), chance)
        elif c.crop == "resized":
            box = random_box(*size, chance, area=c.crop_area, ratio=c.crop_ratio)
        pixels = cut(picture, box, self.preprocessing)
        if self._policy is None:
            return pixels
        with torch.random.fork_rng(devices=[]):
            # torchvision draws from the global generator alone.
            torch.manual_seed(int(chance[Slot.POLICY] * 2**53))
            varied: npt.NDArray[np.uint8] = self._policy(torch.from_numpy(pixels)).numpy()
        return varied

    def __call__(
        self, pixels: UInt8[npt.NDArray[Any], "n 3 s s"], chance: Chances
    ) -> Float[Tensor, "n 3 s s"]:
        """Warp and colour a batch of cut pictures, and normalise it for the network."""
        flat = pixels.reshape(*pixels.shape[:2], -1).astype(np.float32)
        matrix, offset = self._colours(flat, chance)
        # Beyond the edges the sampling reads zeros, so zero must be the background.
        offset = offset + matrix @ self._background
        flat -= self._background
        placed = self._placed(flat.reshape(pixels.shape), chance).reshape(flat.shape)
        gain, shift = self._gain, self._shift
        out = np.matmul((gain * matrix).astype(np.float32), placed)
        out += (gain * offset + shift).astype(np.float32)
        black, white = shift.astype(np.float32), (255 * gain + shift).astype(np.float32)
        np.clip(out, black, white, out=out)
        images = out.reshape(pixels.shape)
        self._erase(images, chance)
        return torch.from_numpy(images)

    def _colours(self, flat: npt.NDArray[np.float32], chance: Chances) -> tuple[Floats, Floats]:
        c = self.config
        return colour_matrices(
            brightness=between(chance[:, Slot.BRIGHTNESS], 1 - c.brightness, 1 + c.brightness),
            contrast=between(chance[:, Slot.CONTRAST], 1 - c.contrast, 1 + c.contrast),
            saturation=between(chance[:, Slot.SATURATION], 1 - c.saturation, 1 + c.saturation),
            turns=between(chance[:, Slot.HUE], -c.hue, c.hue),
            mean_rgb=flat.mean(axis=2),
        )

    def _placed(self, pixels: npt.NDArray[np.float32], chance: Chances) -> npt.NDArray[np.float32]:
        c = self.config
        mirrored = chance[:, Slot.FLIP] < c.flip
        if c.degrees == 0 and c.translate == 0 and c.scale == (1.0, 1.0):
            pixels[mirrored] = pixels[mirrored, :, :, ::-1]
            return pixels
        grid = torch.from_numpy(_sampling_grid(self._matrices(mirrored, chance), pixels.shape[-1]))
        sampled = grid_sample(torch.from_numpy(pixels), grid, align_corners=False)
        placed: npt.NDArray[np.float32] = sampled.numpy()
        return placed

    def _matrices(
        self, mirrored: npt.NDArray[np.bool_], chance: Chances
    ) -> Float32[npt.NDArray[Any], "n 2 3"]:
        """Return the matrices from each output position to the input position it is read from.

        Positions run from −1 to 1. The picture is mirrored, turned clockwise about its centre,
        enlarged, then moved by shares of its side to the right and down.
        """
        c = self.config
        angle = np.deg2rad(between(chance[:, Slot.ANGLE], -c.degrees, c.degrees))
        scale = between(chance[:, Slot.SCALE], *c.scale)
        move = between(chance[:, [Slot.MOVE_X, Slot.MOVE_Y]], -c.translate, c.translate)
        cos, sin = np.cos(angle) / scale, np.sin(angle) / scale
        turn = np.stack([np.stack([cos, sin], -1), np.stack([-sin, cos], -1)], -2)
        turn[:, 0] *= np.where(mirrored, -1.0, 1.0)[:, None]
        shift = -turn @ (2 * move)[..., None]
        matrix: npt.NDArray[np.float32] = np.concatenate([turn, shift], -1).astype(np.float32)
        return matrix

    def _erase(self, images: npt.NDArray[np.float32], chance: Chances) -> None:
        side = images.shape[-1]
        for i in np.flatnonzero(chance[:, Slot.ERASE] < self.config.erase):
            area = between(float(chance[i, Slot.ERASE_AREA]), *self.config.erase_area)
            edge = max(1, round(side * area**0.5))
            x = int(chance[i, Slot.ERASE_X] * (side - edge + 1))
            y = int(chance[i, Slot.ERASE_Y] * (side - edge + 1))
            images[i, :, y : y + edge, x : x + edge] = 0.0


def _policy(name: Policy, background: tuple[int, int, int]) -> Callable[[Tensor], Tensor] | None:
    if name == "none":
        return None
    from torchvision.transforms import v2

    kind = v2.TrivialAugmentWide if name == "trivial_augment" else v2.RandAugment
    policy: Callable[[Tensor], Tensor] = kind(fill=[float(value) for value in background])
    return policy


def chances(rows: Sequence[int], *, seed: int, epoch: int) -> Chances:
    """Draw every random number that the pictures of a batch need.

    The numbers depend on the seed, the epoch and the row alone. A row that is in the batch more
    than once gets other numbers each time.

    >>> one, two = chances([7, 8], seed=0, epoch=3), chances([8, 8], seed=0, epoch=3)
    >>> bool((one[1] == two[0]).all()), bool((two[0] == two[1]).any())
    (True, False)
    """
    seen: dict[int, int] = {}
    drawn = np.empty((len(rows), len(Slot)))
    for i, row in enumerate(rows):
        seen[row] = seen.get(row, -1) + 1
        # The lowest word of the counter is the generator's own.
        stream = np.random.Philox(key=seed, counter=[0, seen[row], row, epoch])
        drawn[i] = np.random.Generator(stream).random(len(Slot))
    return drawn


def between(chance: Numbers, low: float, high: float) -> Numbers:
    """Stretch chances from [0, 1) to [low, high)."""
    return low + (high - low) * chance


def moved_box(box: Box, within: Box, chance: Floats) -> Box:
    """Move a box to a random place within another box, or around it if it is larger."""
    width, height = box[2] - box[0], box[3] - box[1]
    x = between(float(chance[Slot.CROP_X]), within[0], within[2] - width)
    y = between(float(chance[Slot.CROP_Y]), within[1], within[3] - height)
    return x, y, x + width, y + height


def random_box(width: int, height: int, chance: Floats, *, area: Range, ratio: Range) -> Box:
    """Return a box with a random share of the picture's area and a random width / height.

    A side that would be longer than the picture's is shortened to it.
    """
    pixels = width * height * between(float(chance[Slot.CROP_AREA]), *area)
    wide = exp(between(float(chance[Slot.CROP_RATIO]), log(ratio[0]), log(ratio[1])))
    w = min(float(width), (pixels * wide) ** 0.5)
    h = min(float(height), (pixels / wide) ** 0.5)
    x = float(chance[Slot.CROP_X]) * (width - w)
    y = float(chance[Slot.CROP_Y]) * (height - h)
    return x, y, x + w, y + h


def _sampling_grid(
    matrices: Float32[npt.NDArray[Any], "n 2 3"], side: int
) -> Float32[npt.NDArray[Any], "n side side 2"]:
    """Apply the matrices to the centres of a side×side grid of pixels."""
    centres = ((np.arange(side) * 2 + 1) / side - 1).astype(np.float32)
    grid = np.empty((len(matrices), side, side, 2), np.float32)
    for axis in (0, 1):
        along_x = matrices[:, axis, 0, None] * centres
        along_y = matrices[:, axis, 1, None] * centres + matrices[:, axis, 2, None]
        np.add(along_x[:, None, :], along_y[:, :, None], out=grid[..., axis])
    return grid


def colour_matrices(
    *,
    brightness: Floats,
    contrast: Floats,
    saturation: Floats,
    turns: Floats,
    mean_rgb: npt.NDArray[Any],
) -> tuple[Float64[npt.NDArray[Any], "n 3 3"], Float64[npt.NDArray[Any], "n 3 1"]]:
    """Return four changes of colour as one matrix and one offset for each picture.

    In this order: multiply by `brightness`; stretch by `contrast` about the picture's mean grey;
    stretch by `saturation` about each pixel's own grey; turn the hue, which keeps each pixel's
    brightness. Values are not clipped in between.

    Args:
        brightness: Factors; 1 changes nothing.
        contrast: Factors.
        saturation: Factors.
        turns: Shares of the colour circle; 0 changes nothing.
        mean_rgb: Each picture's mean colour, n×3.
    """
    angle = 2 * np.pi * turns
    turn = np.zeros((len(turns), 3, 3))
    turn[:, 0, 0] = 1
    turn[:, 1, 1] = turn[:, 2, 2] = np.cos(angle)
    turn[:, 1, 2], turn[:, 2, 1] = -np.sin(angle), np.sin(angle)
    # In these axes saturation is a factor on the two colour axes.
    turn[:, :, 1:] *= saturation[:, None, None]
    matrix = _RGB @ turn @ _YIQ * (brightness * contrast)[:, None, None]
    grey = mean_rgb @ _YIQ[0]
    offset = np.broadcast_to(((1 - contrast) * brightness * grey)[:, None, None], (len(grey), 3, 1))
    return matrix, offset
