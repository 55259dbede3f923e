import numpy as np
import pytest
from PIL import Image

from lookalike.errors import UsageError
from lookalike.explanation.groups.shift import line, shift_object

BLACK = Image.new("RGB", (30, 30), "black")


@pytest.mark.parametrize("along", ["across", "down"])
def test_a_map_that_follows_has_slope_one_and_one_that_stays_zero(watcher, along):
    """The object is 20 of 40 pixels and moves by whole cells of 5, so nothing is rounded."""
    moved = shift_object(watcher, BLACK, along=along, scale=0.5)
    assert moved.offsets.tolist() == [0, 5, 10, 15, 20]
    dark, even, light = moved.lines("centre")
    assert dark.slope == pytest.approx(1)
    assert dark.correlation == pytest.approx(1)
    assert even.slope == pytest.approx(0, abs=1e-6)
    assert even.correlation is None
    # Light cells are 48 of 64 around 16 dark ones: their centre moves the other way, by a third.
    assert light.slope == pytest.approx(-1 / 3, abs=1e-5)
    assert light.correlation == pytest.approx(-1)
    assert moved.lines("peak")[0].slope == pytest.approx(1)
    assert moved.centres[:, 0] == pytest.approx([10, 15, 20, 25, 30])
    assert moved.peaks[:, 0] == pytest.approx([2.5, 7.5, 12.5, 17.5, 22.5])


@pytest.mark.parametrize(("along", "axis"), [("across", 1), ("down", 0)])
def test_the_object_goes_from_edge_to_edge_on_the_background(watcher, along, axis):
    watcher.preprocessing = watcher.preprocessing.model_copy(update={"background": (255, 255, 0)})
    moved = shift_object(watcher, BLACK, along=along, scale=0.5)
    for frame, offset in zip(moved.frames, (0, 5, 10, 15, 20), strict=True):
        pixels = np.asarray(frame)
        black = (pixels == 0).all(axis=2)
        places = [np.flatnonzero(black.any(axis=1 - side)) for side in (0, 1)]
        assert places[axis].tolist() == list(range(offset, offset + 20))
        assert places[1 - axis].tolist() == list(range(10, 30))
        assert (pixels[~black] == (255, 255, 0)).all()


def test_only_what_the_network_sees_is_moved(watcher):
    """A wide picture, cropped: the red sides are not part of the object."""
    watcher.preprocessing = watcher.preprocessing.model_copy(update={"fit": "crop"})
    wide = Image.new("RGB", (90, 30), "red")
    wide.paste(BLACK, (30, 0))
    moved = shift_object(watcher, wide, scale=0.5, steps=2)
    red, green, _ = np.asarray(moved.frames[0]).astype(int).transpose(2, 0, 1)
    assert (red - green).max() < 20  # the filter reaches a little beyond the edge of the crop
    assert (red < 20).sum() == 20 * 20


def test_a_line_is_least_squares():
    x, y = np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0, 6.0])
    fitted = line(x, y)
    assert fitted.slope == pytest.approx(np.polyfit(x, y, 1)[0])
    assert fitted.correlation == pytest.approx(np.corrcoef(x, y)[0, 1])


@pytest.mark.parametrize("wrong", [{"scale": 1.0}, {"scale": 0.001}, {"steps": 1}])
def test_there_must_be_room_to_move(watcher, wrong):
    with pytest.raises(UsageError, match="cannot shift"):
        shift_object(watcher, BLACK, **wrong)
