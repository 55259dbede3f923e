"""Any of Pillow's pixel modes as 8-bit RGB, by one rule."""

import numpy as np
import numpy.typing as npt
from PIL import Image

RGB = tuple[int, int, int]


def to_rgb(image: Image.Image, background: RGB) -> Image.Image:
    """Turn a loaded picture into RGB.

    - Transparent pixels of any kind (alpha, a palette's, a transparent colour) are laid on the
      background.
    - 16-bit grey is scaled: 0 is black, 65 535 is white.
    - Float grey is taken as 0 for black and 1 for white.
    - CMYK, YCbCr, HSV, LAB, palettes, grey and black-and-white are converted as Pillow does.
    - Embedded colour profiles are ignored.

    Raises:
        ValueError: The pixels' range has no such meaning, or Pillow cannot convert the mode.
    """
    if image.mode == "RGB" and not image.has_transparency_data:
        return image
    if image.mode == "F" or image.mode.startswith("I"):
        return _on(background, _deep_grey(image))
    if image.has_transparency_data:
        straight = image.convert("LA") if image.mode == "La" else image
        return _on(background, straight.convert("RGBA"))
    return image.convert("RGB")


def _on(background: RGB, image: Image.Image) -> Image.Image:
    if "A" not in image.getbands():
        return image.convert("RGB")
    canvas = Image.new("RGB", image.size, background)
    canvas.paste(image.convert("RGB"), mask=image.getchannel("A"))
    return canvas


def _deep_grey(image: Image.Image) -> Image.Image:
    values = np.asarray(image)
    grey = _scaled(values, white=1.0 if image.mode == "F" else 65535.0)
    # A 16-bit PNG may name one grey as transparent.
    clear = image.info.get("transparency")
    if not isinstance(clear, int):
        return Image.fromarray(grey)
    alpha = np.where(values == clear, 0, 255).astype(np.uint8)
    return Image.fromarray(np.stack([grey, alpha], axis=-1))


def _scaled(values: npt.NDArray[np.generic], *, white: float) -> npt.NDArray[np.uint8]:
    numbers = values.astype(np.float64)
    low, high = float(numbers.min()), float(numbers.max())
    if not (low >= 0 and high <= white):  # also refuses NaN
        raise ValueError(
            f"grey values from {low:g} to {high:g} where 0 is black and {white:g} is white; "
            "convert it to 8 bits first"
        )
    return np.rint(numbers * (255 / white)).astype(np.uint8)
