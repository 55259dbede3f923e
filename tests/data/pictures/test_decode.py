import io
import os
import struct
import warnings
import zlib

import numpy as np
import pytest
from PIL import Image

from lookalike.data.pictures.decode import decode, size_of
from lookalike.errors import ImageError

RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
GREY_BACKGROUND = (10, 100, 200)
# What EXIF says of the stored rows and columns, undone: upright pixels -> stored pixels.
STORED = {
    1: lambda u: u,
    2: lambda u: u[:, ::-1],
    3: lambda u: u[::-1, ::-1],
    4: lambda u: u[::-1],
    5: lambda u: u.transpose(1, 0, 2),
    6: lambda u: u[:, ::-1].transpose(1, 0, 2),
    7: lambda u: u[::-1, ::-1].transpose(1, 0, 2),
    8: lambda u: u[::-1].transpose(1, 0, 2),
}


def quadrants(width=48, height=32):
    """Red, green over blue, white; no symmetry leaves it as it is."""
    pixels = np.empty((height, width, 3), np.uint8)
    pixels[: height // 2, : width // 2] = RED
    pixels[: height // 2, width // 2 :] = GREEN
    pixels[height // 2 :, : width // 2] = BLUE
    pixels[height // 2 :, width // 2 :] = WHITE
    return pixels


def noise(side=64):
    return Image.fromarray(
        np.random.default_rng(0).integers(0, 256, (side, side, 3), dtype=np.uint8)
    )


def saved(path, image, **options):
    image.save(path, **options)
    return path


def corner_colours(image):
    w, h = image.size
    return [image.getpixel(p) for p in ((2, 2), (w - 3, 2), (2, h - 3), (w - 3, h - 3))]


def rounded(colours):
    return [tuple(0 if v < 40 else 255 if v > 215 else v for v in c) for c in colours]


@pytest.mark.parametrize("suffix", ["jpg", "png", "webp", "tiff"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_orientation_is_applied_to_pixels_and_size(tmp_path, orientation, suffix):
    stored = Image.fromarray(np.ascontiguousarray(STORED[orientation](quadrants())))
    exif = Image.Exif()
    exif[0x0112] = orientation
    path = saved(tmp_path / f"a.{suffix}", stored, exif=exif)
    image = decode(path)
    assert size_of(path) == image.size == (48, 32)
    assert rounded(corner_colours(image)) == [RED, GREEN, BLUE, WHITE]


def test_a_pil_image_with_orientation_is_turned_and_left_as_it_was(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    stored = Image.fromarray(np.ascontiguousarray(STORED[6](quadrants())))
    path = saved(tmp_path / "a.png", stored, exif=exif)
    with Image.open(path) as given:
        image = decode(given)
        assert size_of(given) == image.size == (48, 32)
        assert given.size == (32, 48)
    assert corner_colours(image) == [RED, GREEN, BLUE, WHITE]


def test_a_picture_is_turned_though_its_exif_cannot_be_written_again(tmp_path, monkeypatch):
    exif = Image.Exif()
    exif[0x0112] = 6
    stored = Image.fromarray(np.ascontiguousarray(STORED[6](quadrants())))
    path = saved(tmp_path / "a.png", stored, exif=exif)

    def fail(self, offset=8):
        raise struct.error("required argument is not an integer")

    monkeypatch.setattr(Image.Exif, "tobytes", fail)
    assert corner_colours(decode(path)) == [RED, GREEN, BLUE, WHITE]


def test_what_is_returned_is_not_the_callers_picture():
    given = Image.new("RGB", (4, 4), RED)
    decode(given).putpixel((0, 0), BLUE)
    assert given.getpixel((0, 0)) == RED


@pytest.mark.parametrize("mode", ["RGBA", "LA", "PA", "La", "RGBa"])
def test_alpha_of_any_kind_is_laid_on_the_background(mode):
    pixels = np.zeros((2, 3, 4), np.uint8)
    pixels[..., :3] = 255  # white, from clear to opaque; where clear, its white must not show
    pixels[:, 1, 3], pixels[:, 2, 3] = 128, 255
    image = Image.fromarray(pixels)
    if mode == "PA":
        image = Image.new("PA", (3, 2))
        image.putpalette([255, 255, 255])
        image.putdata([(0, a) for a in (0, 128, 255)] * 2)
    elif mode in ("LA", "La"):
        image = image.convert("LA").convert(mode)
    else:
        image = image.convert(mode)
    got = np.asarray(decode(image, background=GREY_BACKGROUND))
    half = [round(255 * 128 / 255 + b * 127 / 255) for b in GREY_BACKGROUND]
    np.testing.assert_allclose(got[0].astype(int), [GREY_BACKGROUND, half, WHITE], atol=2)


def test_transparent_palette_entry_and_transparent_colour(tmp_path):
    palette = Image.new("P", (2, 1))
    palette.putpalette([255, 0, 0, 0, 255, 0])
    palette.putdata([0, 1])
    by_index = saved(tmp_path / "p.png", palette, transparency=1)
    by_bytes = saved(tmp_path / "b.png", palette, transparency=bytes([255, 0]))
    rgb = Image.new("RGB", (2, 1), GREEN)
    rgb.putpixel((0, 0), RED)
    by_colour = saved(tmp_path / "c.png", rgb, transparency=GREEN)
    as_gif = saved(tmp_path / "g.gif", palette, transparency=1)
    for path in (by_index, by_bytes, by_colour, as_gif):
        image = decode(path, background=BLUE)
        assert [image.getpixel((x, 0)) for x in (0, 1)] == [RED, BLUE], path


def test_plain_palette(tmp_path):
    image = Image.fromarray(quadrants()).quantize(4)
    path = saved(tmp_path / "p.png", image)
    assert corner_colours(decode(path)) == [RED, GREEN, BLUE, WHITE]


@pytest.mark.parametrize("suffix", ["png", "tiff", "ppm"])
def test_16_bit_grey_is_scaled_not_clipped(tmp_path, suffix):
    values = np.array([[0, 257, 128 * 257, 65535, 300]], np.uint16)
    path = saved(tmp_path / f"a.{suffix}", Image.fromarray(values))
    got = np.asarray(decode(path))
    np.testing.assert_array_equal(got[0, :, 0], [0, 1, 128, 255, 1])
    assert (got == got[..., :1]).all()


def test_big_endian_16_bit_and_transparent_grey(tmp_path):
    values = np.array([[0, 65535]], ">u2")
    assert np.asarray(decode(Image.fromarray(values)))[0, :, 0].tolist() == [0, 255]
    path = saved(tmp_path / "t.png", Image.fromarray(values.astype(np.uint16)), transparency=65535)
    assert decode(path, background=BLUE).getpixel((1, 0)) == BLUE


def test_32_bit_and_float_grey():
    assert decode(Image.fromarray(np.array([[0, 65535]], np.int32))).getpixel((1, 0)) == WHITE
    assert decode(Image.fromarray(np.array([[0, 0.5]], np.float32))).getpixel((1, 0)) == (128,) * 3
    for bad in ([[0.0, 200.0]], [[-0.5, 1.0]], [[np.nan, 1.0]]):
        with pytest.raises(ImageError, match="convert it to 8 bits"):
            decode(Image.fromarray(np.array(bad, np.float32)))
    with pytest.raises(ImageError, match="0 to 70000"):
        decode(Image.fromarray(np.array([[0, 70000]], np.int32)))


@pytest.mark.parametrize("suffix", ["jpg", "tiff"])
def test_cmyk(tmp_path, suffix):
    inks = Image.new("CMYK", (16, 16), (0, 255, 255, 0))  # yellow and magenta ink: red
    assert rounded([decode(saved(tmp_path / f"a.{suffix}", inks)).getpixel((8, 8))]) == [RED]


def test_inks_of_a_jpeg_are_inverted_as_adobe_stores_them(tmp_path):
    path = saved(tmp_path / "a.jpg", Image.new("CMYK", (16, 16), (0, 255, 255, 0)))
    data = path.read_bytes()
    marker = data.index(b"\xff\xee")
    assert data[marker + 4 : marker + 9] == b"Adobe"
    assert decode(path).getpixel((8, 8))[0] > 250
    # Files without the marker are taken to follow the same habit.
    marked = data[marker + 2 : marker + 4]
    plain = tmp_path / "plain.jpg"
    plain.write_bytes(data[:marker] + data[marker + 2 + struct.unpack(">H", marked)[0] :])
    assert decode(plain).getpixel((8, 8)) == decode(path).getpixel((8, 8))


@pytest.mark.parametrize("mode", ["1", "L", "RGB", "RGBX", "YCbCr", "HSV"])
def test_other_modes_keep_white_and_black(mode):
    image = Image.new("RGB", (2, 1), WHITE)
    image.putpixel((0, 0), (0, 0, 0))
    got = decode(image.convert(mode))
    assert (got.mode, got.getpixel((0, 0)), got.getpixel((1, 0))) == ("RGB", (0, 0, 0), WHITE)


def test_lab_is_converted():
    red = decode(Image.new("LAB", (1, 1), (137, 208, 195))).getpixel((0, 0))
    assert red[0] > 240
    assert max(red[1:]) < 20


@pytest.mark.parametrize("suffix", ["gif", "webp", "png", "tiff"])
def test_the_first_frame_of_several_is_taken(tmp_path, suffix):
    frames = [Image.new("RGB", (8, 8), colour) for colour in (RED, BLUE)]
    path = tmp_path / f"a.{suffix}"
    frames[0].save(path, save_all=True, append_images=frames[1:])
    assert rounded([decode(path).getpixel((3, 3))]) == [RED]


@pytest.mark.parametrize("suffix", ["bmp", "gif", "png", "webp", "tiff", "jpg"])
def test_formats(tmp_path, suffix):
    path = saved(tmp_path / f"ä #%'\n 猫.{suffix}", Image.fromarray(quadrants()))
    assert rounded(corner_colours(decode(str(path)))) == [RED, GREEN, BLUE, WHITE]


def test_arrays():
    pixels = quadrants()
    assert np.array_equal(np.asarray(decode(pixels)), pixels)
    assert size_of(pixels) == (48, 32)
    assert np.array_equal(np.asarray(decode(pixels[:, ::-1])), pixels[:, ::-1])
    assert decode(pixels[..., 0]).getpixel((0, 0)) == WHITE
    clear = np.dstack([pixels, np.zeros((32, 48), np.uint8)])
    assert decode(clear, background=BLUE).getpixel((0, 0)) == BLUE


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((4, 4, 3), np.float32),
        np.zeros((4, 4, 2), np.uint8),
        np.zeros((3, 4, 4, 3), np.uint8),
        np.zeros((4,), np.uint8),
    ],
)
def test_other_arrays_are_refused(array):
    with pytest.raises(ValueError, match="must be uint8 with shape"):
        decode(array)


def test_an_array_without_pixels_is_refused():
    with pytest.raises(ValueError, match="no pixels"):
        decode(np.zeros((0, 4, 3), np.uint8))


def test_draft_stays_at_or_above_the_side_asked_for(tmp_path):
    path = saved(tmp_path / "a.jpg", Image.fromarray(quadrants(400, 300)))
    assert decode(path, draft_side=75).size == (100, 75)
    assert decode(path, draft_side=76).size == (200, 150)
    assert decode(path, draft_side=151).size == (400, 300)
    assert size_of(path) == (400, 300)
    assert rounded(corner_colours(decode(path, draft_side=30))) == [RED, GREEN, BLUE, WHITE]
    # Of a box, its own shorter side counts.
    assert decode(path, draft_side=75, box=(0.0, 0.0, 200.0, 150.0)).size == (100, 75)


def test_a_box_is_cut_from_the_upright_picture(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 8
    stored = Image.fromarray(np.ascontiguousarray(STORED[8](quadrants())))
    path = saved(tmp_path / "a.png", stored, exif=exif)
    green = decode(path, box=(24.0, 0.0, 48.0, 16.0))
    assert (green.size, set(green.get_flattened_data())) == ((24, 16), {GREEN})
    # Pixels that it touches are in it; what lies outside of the picture is left out.
    assert decode(path, box=(20.5, 3.0, 30.2, 9.5)).size == (11, 7)
    assert decode(path, box=(40.5, 20.0, 60.0, 90.0)).size == (8, 12)


@pytest.mark.parametrize("box", [(48.0, 0.0, 60.0, 10.0), (20.0, 5.0, 20.0, 9.0)])
def test_a_box_without_pixels_is_an_error(box):
    with pytest.raises(ImageError, match="48×32"):
        decode(quadrants(), box=box)


def cut_short(path, image, share=0.6, **options):
    buffer = io.BytesIO()
    image.save(buffer, **options)
    path.write_bytes(buffer.getvalue()[: int(len(buffer.getvalue()) * share)])
    return path


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("JPEG", {}),
        ("JPEG", {"progressive": True}),
        ("PNG", {}),
        ("BMP", {}),
        ("GIF", {}),
        ("WEBP", {}),
        ("TIFF", {}),
        ("TIFF", {"compression": "tiff_lzw"}),
    ],
)
@pytest.mark.parametrize("draft_side", [None, 16])
def test_a_truncated_file_is_an_error(tmp_path, kind, options, draft_side):
    path = cut_short(tmp_path / "a.img", noise(), format=kind, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pillow's, of a TIFF
        with pytest.raises(ImageError, match=r"truncated|damaged|cut off") as error:
            decode(path, draft_side=draft_side)
    assert error.value.path == str(path)


def test_a_truncated_pil_image_is_an_error(tmp_path):
    path = cut_short(tmp_path / "a.jpg", noise(), format="JPEG")
    with Image.open(path) as given, pytest.raises(ImageError, match="truncated") as error:
        decode(given)
    assert error.value.path == str(path)


def png_start(width, height):
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))
    return b"\x89PNG\r\n\x1a\n" + chunk + b"\x00\x00\x00\x08IDAT\x78\x9c"


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: None, "there is no such file"),
        (lambda path: path.mkdir(), "it is a folder, not a file"),
        (lambda path: path.touch(), "the file is empty"),
        (lambda path: path.write_text("hello"), "not a picture in a known format"),
        (lambda path: path.symlink_to("nowhere"), "the link points to a file that is not there"),
        (lambda path: os.mkfifo(path), "it is not a regular file"),
        (lambda path: path.write_bytes(png_start(30000, 30000)), "too large"),
        (lambda path: path.write_bytes(png_start(12000, 10000)), "damaged|truncated"),
    ],
)
@pytest.mark.parametrize("function", [decode, size_of])
def test_a_file_that_cannot_be_read_is_named_with_the_reason(tmp_path, make, reason, function):
    path = tmp_path / "a.jpg"
    make(path)
    if function is size_of and "damaged" in reason:
        assert size_of(path) == (12000, 10000)  # the header is whole
        return
    with pytest.raises(ImageError, match=reason) as error:
        function(path)
    assert str(error.value).startswith(f"{path}: ")


@pytest.mark.parametrize("name", ["x" * 300 + ".jpg", "a\0b.jpg"])
def test_a_name_that_cannot_be_a_file_is_an_error(tmp_path, name):
    with pytest.raises(ImageError):
        decode(str(tmp_path / name))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_permission(tmp_path):
    path = saved(tmp_path / "a.png", noise())
    path.chmod(0)
    with pytest.raises(ImageError, match="no permission"):
        decode(path)


def test_the_pixel_limit_is_stated(tmp_path):
    path = saved(tmp_path / "a.png", noise(64))
    assert decode(path, max_pixels=4096).size == (64, 64)
    with pytest.raises(ImageError, match=r"64×64 pixels: the limit is 4,095 pixels"):
        decode(path, max_pixels=4095)


def test_damaged_exif_does_not_spoil_a_whole_picture(tmp_path):
    exif = b"Exif\x00\x00II*\x00\xff\xff\xff\x7f broken"
    path = saved(tmp_path / "a.jpg", Image.fromarray(quadrants()), exif=exif)
    assert rounded(corner_colours(decode(path))) == [RED, GREEN, BLUE, WHITE]
