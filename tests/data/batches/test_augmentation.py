import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from torchvision.transforms.v2 import functional as tv

from lookalike.config import parse
from lookalike.data.batches.augmentation import (
    Augmentation,
    Slot,
    chances,
    colour_matrices,
    moved_box,
    random_box,
)
from lookalike.data.pictures.network_input import normalise, prepare
from lookalike.errors import ConfigError
from lookalike.preprocessing import Preprocessing

P = Preprocessing(size=48, background=(250, 120, 30))
EVERYTHING = Augmentation(
    crop="none", degrees=20, translate=0.1, scale=(0.8, 1.2), brightness=0.3, contrast=0.3,
    saturation=0.3, hue=0.1, erase=0.5,
)  # fmt: skip
UNIT = st.floats(0, 0.999)


def smooth(seed, *, side=48, low=60, high=190):
    """A picture without hard edges, away from black and white."""
    rough = np.random.default_rng(seed).uniform(low, high, (4, 4, 3)).astype(np.uint8)
    picture = Image.fromarray(rough).resize((side, side), Image.Resampling.BILINEAR)
    return np.ascontiguousarray(np.asarray(picture).transpose(2, 0, 1))


def chance(**slots):
    """One picture's chances: the middle of every range, but for those named."""
    row = np.full((1, len(Slot)), 0.5)
    for name, value in slots.items():
        row[0, Slot[name]] = value
    return row


def shown(images):
    """The pixels that the network's numbers stand for, 0 to 255."""
    mean, std = (torch.tensor(v).view(3, 1, 1) for v in (P.mean, P.std))
    return ((images * std + mean) * 255).double()


def test_nothing_to_vary_is_what_evaluation_does():
    augmenter = Augmentation(crop="none", flip=0).build(P)
    pixels = np.stack([smooth(0), smooth(1)])
    images = augmenter(pixels, chances([0, 1], seed=0, epoch=0))
    np.testing.assert_allclose(images, normalise(torch.from_numpy(pixels), P), atol=1e-5, rtol=0)
    picture = Image.fromarray(smooth(0, side=70).transpose(1, 2, 0))
    assert np.array_equal(augmenter.cut(picture, chance()[0]), prepare(picture, P).numpy())


@pytest.mark.parametrize("degrees", [0.0, 1e-9])  # with and without resampling
def test_mirror_by_its_chance(degrees):
    augmenter = Augmentation(crop="none", flip=0.3, degrees=degrees).build(P)
    pixels = np.stack([smooth(0)] * 2)
    both = np.concatenate([chance(FLIP=0.29), chance(FLIP=0.31)])
    images = augmenter(pixels, both)
    np.testing.assert_allclose(images[0], images[1].flip(-1), atol=1e-4, rtol=0)
    assert (images[0] - images[1]).abs().max() > 0.1


def test_place_is_what_torchvision_makes_of_it():
    config = Augmentation(crop="none", flip=0, degrees=30, translate=0.25, scale=(0.8, 1.2))
    ours = config.build(P)(
        smooth(3)[None], chance(ANGLE=0.75, MOVE_X=0.75, MOVE_Y=0.25, SCALE=0.75)
    )
    expected, inside = (
        tv.affine(
            pixels, angle=15, translate=[6, -6], scale=1.1, shear=[0, 0],
            interpolation=tv.InterpolationMode.BILINEAR, fill=0,
        )
        for pixels in (torch.from_numpy(smooth(3)).float(), torch.ones(1, 48, 48))
    )  # fmt: skip
    clear = inside[0] == 1  # ours lets the background shine through where a pixel meets the edge
    assert clear.float().mean() > 0.5
    got = shown(ours)[0]
    np.testing.assert_allclose(got[:, clear], expected[:, clear].double(), atol=0.6, rtol=0)
    outside = got[:, inside[0] == 0]
    assert (outside - torch.tensor(P.background)[:, None]).abs().max() < 0.01


def test_room_around_the_picture_is_background():
    config = Augmentation(crop="none", flip=0, scale=(0.5, 0.5))
    got = shown(config.build(P)(smooth(0)[None], chance()))[0]
    for y, x in ((0, 0), (10, 24), (24, 40), (47, 47)):
        np.testing.assert_allclose(got[:, y, x], P.background, atol=0.01)


def test_colours_are_what_torchvision_makes_of_them():
    config = Augmentation(crop="none", flip=0, brightness=0.2, contrast=0.4, saturation=0.6)
    slots = {"BRIGHTNESS": 0.75, "CONTRAST": 0.25, "SATURATION": 0.75}  # 1.1, 0.8, 1.3
    got = shown(config.build(P)(smooth(5)[None], chance(**slots)))[0]
    expected = torch.from_numpy(smooth(5)).double() / 255
    for change, factor in (
        (tv.adjust_brightness, 1.1),
        (tv.adjust_contrast, 0.8),
        (tv.adjust_saturation, 1.3),
    ):
        expected = change(expected, factor)
    np.testing.assert_allclose(got, expected * 255, atol=0.2, rtol=0)


@given(st.floats(-0.5, 0.5))
def test_hue_keeps_brightness_and_leaves_grey_alone(turns):
    one = np.ones(1)
    matrix, offset = colour_matrices(
        brightness=one, contrast=one, saturation=one, turns=np.array([turns]),
        mean_rgb=np.full((1, 3), 99.0),
    )  # fmt: skip
    luma = np.array([0.2989, 0.587, 0.114]) / 0.9999
    np.testing.assert_allclose(matrix[0] @ np.ones(3), np.ones(3), atol=1e-9)
    np.testing.assert_allclose(luma @ matrix[0], luma, atol=1e-9)
    np.testing.assert_allclose(offset, 0, atol=1e-9)


def test_a_third_of_the_hue_circle_moves_red_towards_green_or_blue():
    one = np.ones(1)
    for turns in (1 / 3, -1 / 3):
        matrix, _ = colour_matrices(
            brightness=one, contrast=one, saturation=one, turns=np.array([turns]),
            mean_rgb=np.zeros((1, 3)),
        )  # fmt: skip
        assert np.argmax(matrix[0] @ [1, 0, 0]) in (1, 2)


def test_values_stay_within_black_and_white():
    config = Augmentation(crop="none", brightness=1.0, contrast=1.0, saturation=1.0, hue=0.5)
    noise = np.random.default_rng(0).integers(0, 256, (8, 3, 48, 48), dtype=np.uint8)
    got = shown(config.build(P)(noise, chances(range(8), seed=1, epoch=0)))
    assert got.min() >= -0.01
    assert got.max() <= 255.01


def test_erasing_takes_the_share_it_should_and_leaves_the_mean_colour():
    config = Augmentation(crop="none", flip=0, erase=0.5, erase_area=(0.25, 0.25))
    pixels = np.stack([smooth(0)] * 2)
    images = config.build(P)(pixels, np.concatenate([chance(ERASE=0.49), chance(ERASE=0.51)]))
    assert [(image == 0).all(0).float().mean().item() for image in images] == [0.25, 0.0]


@given(st.integers(1, 500), st.integers(1, 500), UNIT, UNIT, UNIT, UNIT)
def test_random_box_lies_on_the_picture_with_its_share_of_the_area(w, h, area, ratio, x, y):
    drawn = chance(CROP_AREA=area, CROP_RATIO=ratio, CROP_X=x, CROP_Y=y)[0]
    left, top, right, bottom = random_box(w, h, drawn, area=(0.2, 0.9), ratio=(0.5, 2.0))
    assert 0 <= left < right <= w + 1e-6
    assert 0 <= top < bottom <= h + 1e-6
    share = (right - left) * (bottom - top) / (w * h)
    assert share <= 0.2 + 0.7 * area + 1e-6
    if right - left < w - 1e-6 and bottom - top < h - 1e-6:  # no side was cut
        assert share == pytest.approx(0.2 + 0.7 * area)
        assert (right - left) / (bottom - top) == pytest.approx(0.5 * 4**ratio)


@given(
    st.integers(8, 500), st.integers(8, 500), UNIT, UNIT, st.sampled_from(["crop", "pad"]),
    st.sampled_from([None, 40]),
)  # fmt: skip
def test_moved_box_keeps_its_size_and_all_it_can_hold(w, h, x, y, fit, resize):
    p = Preprocessing(size=32, resize=resize, fit=fit)
    still, canvas = p.geometry(w, h).box, p.canvas(w, h)
    left, top, right, bottom = moved_box(still, canvas, chance(CROP_X=x, CROP_Y=y)[0])
    assert right - left == pytest.approx(still[2] - still[0])
    assert bottom - top == pytest.approx(still[3] - still[1])
    for low, high, start, end in (
        (left, right, canvas[0], canvas[2]),
        (top, bottom, canvas[1], canvas[3]),
    ):
        inside, around = (
            low >= start - 1e-6 and high <= end + 1e-6,
            low <= start + 1e-6 and high >= end - 1e-6,
        )
        assert inside or around


@pytest.mark.parametrize(("width", "height"), [(40, 20), (20, 40)])
def test_random_crop_of_a_padded_square_reaches_every_place_of_it(width, height):
    """The square has 40 pixels a side and the input 32, so there are 9×9 whole places."""
    p = Preprocessing(size=32, resize=40, fit="pad", background=(1, 2, 3))
    augmenter = Augmentation(crop="random", flip=0).build(p)
    pixels = np.random.default_rng(0).integers(100, 256, (height, width, 3), dtype=np.uint8)
    square = np.full((40, 40, 3), (1, 2, 3), np.uint8)
    left, top = (40 - width) // 2, (40 - height) // 2
    square[top : top + height, left : left + width] = pixels
    picture, seen = Image.fromarray(pixels), set()
    for row in range(9):
        for column in range(9):
            drawn = chance(CROP_X=column / 8, CROP_Y=row / 8)[0]
            cut = augmenter.cut(picture, drawn).transpose(1, 2, 0)
            assert np.array_equal(cut, square[row : row + 32, column : column + 32])
            seen.add(cut.tobytes())
    assert len(seen) == 81
    middle = augmenter.cut(picture, chance()[0])
    assert np.array_equal(middle, prepare(picture, p).numpy())
    assert np.array_equal(middle.transpose(1, 2, 0), square[4:36, 4:36])


def test_random_crop_from_each_corner():
    p = Preprocessing(size=32, resize=40)
    augmenter = Augmentation(crop="random").build(p)
    pixels = np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8)
    for x, y in ((0.0, 0.0), (1.0, 1.0)):
        cut = augmenter.cut(Image.fromarray(pixels), chance(CROP_X=x, CROP_Y=y)[0])
        left, top = int(28 * x), int(8 * y)
        assert np.array_equal(cut.transpose(1, 2, 0), pixels[top : top + 32, left : left + 32])


def test_the_side_that_is_kept_makes_every_cut_sharp():
    assert Augmentation(crop="resized", crop_area=(0.25, 1)).build(P).keep_side == 96
    assert Augmentation(crop="random").build(Preprocessing(size=48, resize=60)).keep_side == 60
    assert Augmentation(crop="none").build(P).fixed
    assert not Augmentation(crop="random").build(P).fixed


def test_a_picture_is_varied_the_same_in_any_batch():
    augmenter = EVERYTHING.build(P)
    pixels = np.stack([smooth(i) for i in range(6)])
    whole = augmenter(pixels, chances(range(6), seed=3, epoch=2))
    order = [4, 1, 5]
    part = augmenter(pixels[order], chances(order, seed=3, epoch=2))
    assert torch.equal(part, whole[order])


def test_pictures_are_varied_as_they_always_were():
    """Figures of trained models depend on these numbers, so they must not change."""
    drawn = chances([5, 9], seed=3, epoch=2)
    np.testing.assert_allclose(drawn[0, :3], [0.8551570, 0.6977166, 0.2970117], atol=1e-6)
    images = EVERYTHING.build(P)(np.stack([smooth(0), smooth(1)]), drawn)
    means = [[0.2753, 0.3361, -0.0782], [-0.1614, -0.2121, 0.3041]]
    np.testing.assert_allclose(images.mean((2, 3)), means, atol=2e-4)
    picture = Image.fromarray(smooth(0, side=90).transpose(1, 2, 0))
    cut = Augmentation().build(P).cut(picture, drawn[0])
    np.testing.assert_allclose(cut.mean((1, 2)), [132.155, 129.897, 122.025], atol=0.05)


def test_chances_differ_by_seed_epoch_row_and_turn():
    drawn = [
        chances([5], seed=0, epoch=0)[0],
        chances([5], seed=1, epoch=0)[0],
        chances([5], seed=0, epoch=1)[0],
        chances([6], seed=0, epoch=0)[0],
        chances([5, 5], seed=0, epoch=0)[1],
    ]
    assert len(np.unique(np.concatenate(drawn))) == 5 * len(Slot)


def test_the_callers_pixels_are_left_alone():
    pixels = np.stack([smooth(0)] * 3)
    before = pixels.copy()
    EVERYTHING.build(P)(pixels, chances(range(3), seed=0, epoch=0))
    Augmentation(crop="none", flip=1).build(P)(pixels, chances(range(3), seed=0, epoch=0))
    assert np.array_equal(pixels, before)


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ({"flips": 1}, "flips"),
        ({"flip": 1.5}, "flip"),
        ({"crop": "centre"}, "crop"),
        ({"crop_area": [0, 1]}, "crop_area.0"),
    ],
)
def test_a_wrong_key_is_named(data, named):
    with pytest.raises(ConfigError, match=named):
        parse(Augmentation, data)


@pytest.mark.parametrize("policy", ["trivial_augment", "rand_augment"])
def test_policies_of_torchvision_follow_the_pictures_own_chance(policy):
    augmenter = Augmentation(crop="none", policy=policy).build(P)
    picture = Image.fromarray(smooth(0).transpose(1, 2, 0))
    state = torch.random.get_rng_state()
    rows = chances(range(8), seed=0, epoch=0)
    first = [augmenter.cut(picture, row) for row in rows]
    assert not augmenter.fixed
    assert all(
        np.array_equal(a, augmenter.cut(picture, row)) for a, row in zip(first, rows, strict=True)
    )
    assert len({a.tobytes() for a in first}) > 4
    assert torch.equal(state, torch.random.get_rng_state())  # others' numbers stay theirs
