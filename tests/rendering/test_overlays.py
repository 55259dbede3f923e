import numpy as np
import pytest
from PIL import Image

from lookalike.preprocessing import Geometry
from lookalike.rendering.overlays import AGAINST, FOR, colours, limit_of, overlay, ramp

WIDE = Geometry(width=300, height=200, box=(50.0, 0.0, 250.0, 200.0))


def drawn(values, geometry=WIDE, *, picture="white", side=300):
    image = Image.new("RGB", (geometry.width, geometry.height), picture)
    return np.asarray(
        overlay(image, np.array(values, dtype=float), geometry, limit=1.0, side=side)
    ).astype(int)


def test_zero_is_transparent_and_the_ends_are_strong():
    tint = colours(np.array([0.0, 1.0, -1.0, 5.0, np.nan]), limit=1.0)
    assert tint[:, 3] == pytest.approx([0, 0.9, 0.9, 0.9, 0])
    assert tint[1, :3].tolist() == list(FOR[1])
    assert tint[2, :3].tolist() == list(AGAINST[1])
    assert tint[3].tolist() == tint[1].tolist()


def test_opacity_and_colour_grow_with_the_value():
    tint = colours(np.linspace(0.01, 1, 20), limit=1.0)
    assert (np.diff(tint[:, 3]) > 0).all()
    assert (np.diff(tint[:, 0]) < 0).all()


def test_the_ramp_is_white_in_the_middle_and_differs_at_the_ends():
    steps = ramp(201)
    assert steps[100].tolist() == [255, 255, 255]
    left, right = steps[0].astype(int), steps[-1].astype(int)
    assert left[2] - left[0] > 80
    assert right[0] - right[2] > 80


def test_limits():
    assert limit_of(np.array([[1.0, -3.0]]), np.array([[2.0]])) == 3
    assert limit_of(np.zeros((2, 2))) == 1


@pytest.mark.parametrize("side", [150, 300, 600])
def test_a_map_lands_on_the_part_that_was_seen(side):
    # One hot cell of 2×2, at the top right: pixels 150 to 250 × 0 to 100 of 300 × 200.
    pixels = drawn([[0, 1], [0, 0]], side=side)
    assert pixels.shape == (side * 2 // 3, side, 3)
    factor = side / 300
    hot = pixels[round(50 * factor), round(200 * factor)]
    cold = pixels[round(150 * factor), round(100 * factor)]
    assert hot[0] - hot[2] > 100
    assert cold.tolist() == [255, 255, 255]


def test_what_was_not_seen_is_hatched():
    pixels = drawn([[1.0]])
    unseen = np.concatenate([pixels[:, :50], pixels[:, 250:]], axis=1)
    assert (unseen == unseen[..., :1]).all()  # grey
    assert len(np.unique(unseen)) == 2  # ground and stripes
    seen = pixels[:, 50:250]
    assert (seen[..., 0] > seen[..., 2] + 100).all()


def test_padding_leaves_the_whole_picture_visible():
    padded = Geometry(width=300, height=200, box=(0.0, -50.0, 300.0, 250.0))
    pixels = drawn([[-1.0]], padded)
    assert (pixels[..., 2] > pixels[..., 0]).all()


def test_the_picture_shows_through_where_the_map_is_zero():
    image = Image.new("RGB", (300, 200), "white")
    image.paste("black", (100, 0, 200, 200))
    pixels = np.asarray(overlay(image, np.zeros((2, 2)), WIDE, limit=1.0, side=300)).astype(int)
    assert pixels[100, 75, 0] - pixels[100, 150, 0] > 150
