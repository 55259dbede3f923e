"""Any of Pillow's pixel modes as 8-bit RGB, by one rule."""

import numpy as np
from PIL import Image

RGB = tuple[int, int, int]


def to_rgb(image: Image.Image, background: RGB) -> Image.Image:
    """Turn a loaded picture into RGB.

    - Transparent pixels of any kind (alpha, a palette's, a transparent colour) are laid on the
      background.
    - 16-bit grey is scaled: 0 is black, 65 535 is white.
    - In float grey 0 is black and 1 is white.
    - CMYK, YCbCr, HSV, LAB, palettes, grey and black-and-white are converted as Pillow does.
    - Embedded colour profiles are ignored.

    Raises:
        ValueError: Grey values are out of these ranges, or Pillow cannot convert the mode.
    """
    if is_deep(image):
        image = _eight_bits(image)
    elif image.mode == "La":
        image = image.convert("LA")
    if not image.has_transparency_data:
        return image.convert("RGB") if image.mode != "RGB" else image
    straight = image.convert("RGBA")
    canvas = Image.new("RGB", image.size, background)
    canvas.paste(straight.convert("RGB"), mask=straight.getchannel("A"))
    return canvas


def is_deep(image: Image.Image) -> bool:
    """Say whether a picture has more than 8 bits per value."""
    return image.mode == "F" or image.mode.startswith("I")


def _eight_bits(image: Image.Image) -> Image.Image:
    values = np.asarray(image)
    white = 1.0 if image.mode == "F" else 65535.0
    numbers = values.astype(np.float64)
    low, high = float(numbers.min()), float(numbers.max())
    if not (low >= 0 and high <= white):  # also refuses NaN
        raise ValueError(
            f"grey values from {low:g} to {high:g} where 0 is black and {white:g} is white; "
            "convert it to 8 bits first"
        )
    grey = np.rint(numbers * (255 / white)).astype(np.uint8)
    # A 16-bit PNG may name one grey as transparent.
    clear = image.info.get("transparency")
    if not isinstance(clear, int):
        return Image.fromarray(grey)
    alpha = np.where(values == clear, 0, 255).astype(np.uint8)
    return Image.fromarray(np.stack([grey, alpha], axis=-1))
