"""The way in and the way back: a place on the picture, on the input, and on the picture again."""

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from PIL import Image
from torchvision.transforms.v2 import functional as tv

from lookalike.data.batches.catalog_batches import EvaluationBatches
from lookalike.data.catalog.catalog import Catalog
from lookalike.data.pictures.decode import decode, size_of
from lookalike.data.pictures.network_input import cut, map_to_picture, normalise, prepare
from lookalike.explanation.groups.subject import Subject
from lookalike.preprocessing import Geometry, Preprocessing

FITS = [
    Preprocessing(size=64),
    Preprocessing(size=64, resize=80),
    Preprocessing(size=64, fit="stretch"),
    Preprocessing(size=64, fit="pad", background=(0, 0, 0)),
    Preprocessing(size=64, resize=80, fit="pad", background=(0, 0, 0)),
    Preprocessing(size=64, resize=48, fit="pad", background=(0, 0, 0)),
]
SHAPES = [(300, 200), (131, 257), (90, 90), (40, 31)]


def blob(width, height, x, y, radius):
    rows, columns = np.mgrid[:height, :width] + 0.5
    light = np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * radius**2))
    return Image.fromarray(np.rint(255 * light).astype(np.uint8)).convert("RGB")


def brightness(picture, preprocessing, cells):
    """A map as a network could make it: the input's brightness in cells×cells."""
    pixels = prepare(picture, preprocessing)[:1].float()
    return torch.nn.functional.adaptive_avg_pool2d(pixels, cells)[0].numpy()


@pytest.mark.parametrize("preprocessing", FITS, ids=lambda p: f"{p.fit}-{p.resize}")
@pytest.mark.parametrize(("width", "height"), SHAPES)
@pytest.mark.parametrize("cells", [16, 7])
def test_a_blob_comes_back_to_where_it_was(preprocessing, width, height, cells):
    geometry = preprocessing.geometry(width, height)
    for share_x, share_y in ((0.35, 0.4), (0.6, 0.55), (0.5, 0.7)):
        x, y = share_x * width, share_y * height
        picture = blob(width, height, x, y, radius=max(width, height) / 14)
        back = map_to_picture(brightness(picture, preprocessing, cells), geometry)
        assert back.shape == (height, width)
        row, column = np.unravel_index(np.nanargmax(back), back.shape)
        left, top, right, bottom = geometry.cell(0, 0, (cells, cells))
        assert abs(column + 0.5 - x) <= right - left
        assert abs(row + 0.5 - y) <= bottom - top


@pytest.mark.parametrize("preprocessing", FITS, ids=lambda p: f"{p.fit}-{p.resize}")
@pytest.mark.parametrize(("width", "height"), SHAPES)
def test_only_what_the_network_saw_has_values(preprocessing, width, height):
    geometry = preprocessing.geometry(width, height)
    back = map_to_picture(np.ones((4, 4), np.float32), geometry)
    left, top, right, bottom = geometry.box
    rows, columns = np.mgrid[:height, :width] + 0.5
    seen = (columns >= left) & (columns <= right) & (rows >= top) & (rows <= bottom)
    np.testing.assert_array_equal(np.isnan(back), ~seen)
    assert (back[seen] == 1).all()


@given(
    st.integers(1, 60),
    st.integers(1, 60),
    st.integers(2, 9),
    st.sampled_from(["crop", "stretch", "pad"]),
    st.sampled_from([None, 24, 40]),
)
def test_a_slope_over_the_input_is_the_same_slope_over_the_picture(
    width, height, cells, fit, resize
):
    geometry = Preprocessing(size=32, resize=resize, fit=fit).geometry(width, height)
    left, top, right, bottom = geometry.box
    centres_x = left + (np.arange(cells) + 0.5) * (right - left) / cells
    centres_y = top + (np.arange(cells) + 0.5) * (bottom - top) / cells
    values = 3 * centres_x[None, :] - 2 * centres_y[:, None]
    back = map_to_picture(values, geometry)
    rows, columns = np.mgrid[:height, :width] + 0.5
    x = columns.clip(centres_x[0], centres_x[-1])  # flat beyond the outermost centres
    y = rows.clip(centres_y[0], centres_y[-1])
    expected = np.where(np.isnan(back), np.nan, 3 * x - 2 * y)
    np.testing.assert_allclose(back, expected, atol=1e-3)


def test_map_to_picture_by_hand():
    geometry = Geometry(width=4, height=2, box=(0.0, 0.0, 4.0, 2.0))
    back = map_to_picture(np.array([[0.0, 4.0]]), geometry)
    # Cell centres are at 1 and 3; pixel centres at 0.5, 1.5, 2.5, 3.5.
    np.testing.assert_allclose(back, [[0, 1, 3, 4]] * 2)


@pytest.mark.parametrize("interpolation", ["bilinear", "bicubic"])
@pytest.mark.parametrize(("width", "height", "resize"), [(300, 200, 80), (128, 128, 64)])
def test_crop_is_what_torchvision_makes_of_it(width, height, resize, interpolation):
    noise = np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)
    picture = Image.fromarray(noise)
    mode = tv.InterpolationMode(interpolation)
    resized = tv.resize(tv.pil_to_tensor(picture), [resize], interpolation=mode, antialias=True)
    expected = tv.center_crop(resized, [64])
    ours = prepare(picture, Preprocessing(size=64, resize=resize, interpolation=interpolation))
    assert (ours.int() - expected.int()).abs().max() <= 1


def test_stretch_is_what_torchvision_makes_of_it():
    noise = np.random.default_rng(0).integers(0, 256, (50, 170, 3), dtype=np.uint8)
    mode = tv.InterpolationMode.BICUBIC
    expected = tv.resize(
        torch.from_numpy(noise).permute(2, 0, 1), [64, 64], interpolation=mode, antialias=True
    )
    ours = prepare(Image.fromarray(noise), Preprocessing(size=64, fit="stretch"))
    assert (ours.int() - expected.int()).abs().max() <= 2


PADDED = Preprocessing(size=64, resize=80, fit="pad", background=(7, 130, 250))


@pytest.mark.parametrize(
    ("width", "height", "box"),
    [
        # The longer side of 200 is 80 pixels wide, so the input's 64 are 160 of the picture's.
        (200, 120, (20.0, -20.0, 180.0, 140.0)),
        (120, 200, (-20.0, 20.0, 140.0, 180.0)),
        (200, 200, (20.0, 20.0, 180.0, 180.0)),
        (200, 180, (20.0, 10.0, 180.0, 170.0)),  # so little padding that none of it is left
    ],
)
def test_geometry_of_a_padded_square_by_hand(width, height, box):
    assert PADDED.geometry(width, height).box == box


def test_without_a_size_of_its_own_the_padded_square_is_the_input():
    for resize in (None, 64):
        same = Preprocessing(size=64, resize=resize, fit="pad")
        assert same.geometry(300, 200).box == (0.0, -50.0, 300.0, 250.0)
        assert same.canvas(300, 200) == (0.0, 0.0, 300.0, 200.0)
    assert PADDED.canvas(300, 200) == (0.0, -50.0, 300.0, 250.0)
    assert Preprocessing(size=64, resize=80).canvas(300, 200) == (0.0, 0.0, 300.0, 200.0)


@pytest.mark.parametrize("interpolation", ["bilinear", "bicubic"])
@pytest.mark.parametrize(("width", "height"), [(300, 150), (150, 300), (50, 34), (160, 160)])
def test_padded_crop_is_what_torchvision_makes_of_it(width, height, interpolation):
    noise = np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)
    side, mode = max(width, height), tv.InterpolationMode(interpolation)
    padding = [(side - width) // 2, (side - height) // 2]
    square = tv.pad(tv.pil_to_tensor(Image.fromarray(noise)), padding, fill=list(PADDED.background))
    resized = tv.resize(square, [80, 80], interpolation=mode, antialias=True)
    expected = tv.center_crop(resized, [64])
    p = PADDED.model_copy(update={"interpolation": interpolation})
    assert (prepare(Image.fromarray(noise), p).int() - expected.int()).abs().max() <= 1


@pytest.mark.parametrize(("width", "height"), [(200, 100), (100, 200)])
def test_padding_after_resizing_differs_at_the_edge_alone(width, height):
    noise = np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)
    small = Image.fromarray(noise).resize(
        (width * 80 // 200, height * 80 // 200), Image.Resampling.BICUBIC
    )
    pad_x, pad_y = (80 - small.width) // 2, (80 - small.height) // 2
    square = Image.new("RGB", (80, 80), PADDED.background)
    square.paste(small, (pad_x, pad_y))
    expected = np.asarray(square.crop((8, 8, 72, 72)), np.int64)
    ours = prepare(Image.fromarray(noise), PADDED).permute(1, 2, 0).numpy().astype(np.int64)
    far = np.abs(ours - expected).max(axis=2) > 1
    across, along = (far, pad_y) if pad_y else (far.T, pad_x)
    edges = (along - 8, 64 - (along - 8))
    near = {row for edge in edges for row in range(edge - 2, edge + 2)}
    assert set(np.flatnonzero(across.any(axis=1))) <= near


def test_a_dot_comes_out_in_its_cell():
    """Network, geometry and map agree about a place on a picture that was padded and cut."""
    for width, height in ((300, 200), (200, 300)):
        for x, y in ((70, 45), (150, 100), (183, 148), (100, 152)):
            picture = Image.new("RGB", (width, height))
            picture.paste("white", (x - 2, y - 2, x + 2, y + 2))
            seen = brightness(picture, PADDED.model_copy(update={"background": (0, 0, 0)}), 8)
            row, column = np.unravel_index(seen.argmax(), seen.shape)
            geometry = PADDED.geometry(width, height)
            left, top, right, bottom = geometry.cell(int(row), int(column), (8, 8))
            assert left <= x <= right
            assert top <= y <= bottom
            back = map_to_picture((seen == seen.max()).astype(np.float32), geometry)
            assert back[y, x] >= 0.25  # a cell's corner is a quarter its own


def test_padding_of_a_crop_is_background_and_less_of_it():
    p = PADDED.model_copy(update={"interpolation": "bilinear"})
    pixels = prepare(Image.new("RGB", (200, 100), "red"), p).permute(1, 2, 0).tolist()
    # 40 of 80 rows are picture; the crop leaves 12 of 20 rows of padding on either side.
    assert [pixels[y][30] for y in (0, 10, 13, 50, 53, 63)] == [
        [7, 130, 250], [7, 130, 250], [255, 0, 0], [255, 0, 0], [7, 130, 250], [7, 130, 250]
    ]  # fmt: skip


def test_a_box_is_taken_out_before_it_is_padded_and_cut(tmp_path):
    noise = np.random.default_rng(0).integers(0, 256, (90, 120, 3), dtype=np.uint8)
    picture = Image.fromarray(noise)
    picture.save(tmp_path / "a.png")
    box = np.array([[20.0, 10.0, 100.0, 50.0]])
    catalog = Catalog(tmp_path, ("a.png",), np.zeros(1, np.int64), ("a",), boxes=box)
    p = PADDED.model_copy(update={"use_boxes": True})
    expected = normalise(prepare(picture.crop((20, 10, 100, 50)), PADDED)[None], p)
    (batch,) = EvaluationBatches(catalog, p)
    assert torch.equal(batch.images, expected)
    assert Subject.of(catalog, 0).read(p).size == (80, 40)
    assert p.geometry(80, 40).box == (8.0, -12.0, 72.0, 52.0)


def test_padding_is_background_on_both_sides():
    p = Preprocessing(size=40, fit="pad", background=(0, 200, 0), interpolation="bilinear")
    pixels = prepare(Image.new("RGB", (400, 200), "red"), p).permute(1, 2, 0).tolist()
    assert [pixels[y][20] for y in (0, 8, 11, 28, 31, 39)] == [
        [0, 200, 0], [0, 200, 0], [255, 0, 0], [255, 0, 0], [0, 200, 0], [0, 200, 0]
    ]  # fmt: skip


@pytest.mark.parametrize("preprocessing", FITS, ids=lambda p: f"{p.fit}-{p.resize}")
@pytest.mark.parametrize("size", [(1, 1), (1, 200), (200, 1), (64, 64), (65, 64)])
def test_any_shape_gives_the_inputs_shape(preprocessing, size):
    pixels = prepare(Image.new("RGB", size, "red"), preprocessing)
    assert (pixels.shape, pixels.dtype) == ((3, 64, 64), torch.uint8)


@given(
    st.integers(1, 90), st.integers(1, 90), st.integers(8, 60), st.none() | st.integers(8, 90),
    st.sampled_from(["crop", "stretch", "pad"]),
)  # fmt: skip
def test_rounding_never_leads_over_an_edge(width, height, size, resize, fit):
    p = Preprocessing(size=size, resize=resize, fit=fit, interpolation="bilinear")
    pixels = prepare(Image.new("RGB", (width, height), (9, 8, 7)), p)
    if fit == "stretch" or (fit == "crop" and (resize or size) >= size):
        assert (pixels == torch.tensor([9, 8, 7]).view(3, 1, 1)).all()


@given(st.integers(1, 90), st.integers(1, 90), st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_any_box_on_the_picture_can_be_cut(width, height, shares):
    left, right = sorted(share * width for share in shares[:2])
    top, bottom = sorted(share * height for share in shares[2:])
    box = (left, top, min(right + 1e-3, width + 1e-9), min(bottom + 1e-3, height + 1e-9))
    assume(box[2] - left > 1e-4 and box[3] - top > 1e-4)
    pixels = cut(Image.new("RGB", (width, height), (9, 8, 7)), box, FITS[0])
    assert (pixels == np.array([9, 8, 7]).reshape(3, 1, 1)).all()


def test_a_draft_gives_the_same_input_and_the_originals_geometry(tmp_path):
    blob(800, 600, 500.0, 200.0, radius=60.0).save(tmp_path / "a.jpg", quality=95)
    p = Preprocessing(size=64)
    whole = prepare(decode(tmp_path / "a.jpg"), p)
    draft = decode(tmp_path / "a.jpg", draft_side=p.size)
    assert draft.size == (100, 75)
    assert (prepare(draft, p).int() - whole.int()).abs().max() <= 6
    assert p.geometry(*size_of(tmp_path / "a.jpg")).box == (100.0, 0.0, 700.0, 600.0)


def test_normalise_by_hand():
    p = Preprocessing(size=8, mean=(0.5, 0.0, 0.25), std=(0.5, 1.0, 0.25))
    pixels = torch.tensor([0, 255, 51], dtype=torch.uint8).view(1, 3, 1, 1).expand(1, 3, 8, 8)
    expected = torch.tensor([-1.0, 1.0, (0.2 - 0.25) / 0.25]).view(1, 3, 1, 1).expand(1, 3, 8, 8)
    np.testing.assert_allclose(normalise(pixels, p), expected, rtol=1e-6)
