"""Augmentation of training pictures: each is cut, then a batch at a time is warped and coloured.

A random box is cut from each picture alone, since pictures differ in size and need an antialiased
filter. The rest is done for a batch of equal squares at once: mirror, turn, scale and move are one
matrix, so each pixel is resampled once, and the changes of colour and the normalisation are another
one. torchvision v2 draws once for each call, so it must be called for each picture: on the demo's
policy it reaches a quarter of our pictures per second, on a crop and a mirror 12 % more
(`python benchmarks/augmentation.py`). Work this small is slower on several threads, so it is done
in numpy, on one.
"""

from collections.abc import Callable
from math import ceil
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from jaxtyping import Float, UInt8
from PIL import Image
from pydantic import Field
from torch import Tensor
from torch.nn.functional import grid_sample

from lookalike.config import Config
from lookalike.data.batches.augmentation_maths import (
    Chances,
    Floats,
    Slot,
    affine_matrices,
    between,
    colour_matrices,
    moved_box,
    random_box,
    sampling_grid,
)
from lookalike.data.pictures.network_input import cut
from lookalike.preprocessing import Preprocessing

Share = Annotated[float, Field(ge=0, le=1)]
Area = Annotated[float, Field(gt=0, le=1)]
Factor = Annotated[float, Field(gt=0)]
Policy = Literal["none", "trivial_augment", "rand_augment"]


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
        matrices = affine_matrices(
            mirrored=mirrored,
            degrees=between(chance[:, Slot.ANGLE], -c.degrees, c.degrees),
            scale=between(chance[:, Slot.SCALE], *c.scale),
            move_x=between(chance[:, Slot.MOVE_X], -c.translate, c.translate),
            move_y=between(chance[:, Slot.MOVE_Y], -c.translate, c.translate),
        )
        grid = torch.from_numpy(sampling_grid(matrices, pixels.shape[-1]))
        sampled = grid_sample(torch.from_numpy(pixels), grid, align_corners=False)
        placed: npt.NDArray[np.float32] = sampled.numpy()
        return placed

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
