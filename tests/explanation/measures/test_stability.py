import json

import pytest
import torch
from torch.nn.functional import avg_pool2d

from lookalike.errors import UsageError
from lookalike.explanation.interventions.changes import HALVINGS, moved, quiet_noise
from lookalike.explanation.interventions.moves import Move
from lookalike.explanation.measures import Study, measure_stability
from lookalike.explanation.saliency import METHODS, Saliency
from lookalike.model import create_model
from lookalike.preprocessing import Preprocessing

WHITE = torch.ones(3)
ONE = torch.zeros(1, 2)


def noise(*shape, seed=0):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(("right", "down"), [(3, 0), (-2, 0), (0, 5), (0, -1), (4, -6)])
def test_a_shift_moves_whole_pixels_and_leaves_background(right, down):
    images = noise(2, 3, 16, 16)
    moved_images = Move(torch.tensor([[right, down]] * 2) * (2 / 16)).images(images, WHITE)
    by_hand = torch.ones_like(images)
    for y in range(16):
        for x in range(16):
            if 0 <= y - down < 16 and 0 <= x - right < 16:
                by_hand[:, :, y, x] = images[:, :, y - down, x - right]
    assert torch.allclose(moved_images, by_hand, atol=1e-5)


def test_each_picture_moves_its_own_way():
    images = noise(2, 3, 8, 8)
    apart = Move(torch.tensor([[2 / 8, 0.0], [0.0, -2 / 8]])).images(images, WHITE)
    assert torch.allclose(apart[0, :, :, 1:], images[0, :, :, :-1], atol=1e-5)
    assert torch.allclose(apart[1, :, :-1], images[1, :, 1:], atol=1e-5)


def test_a_flip_mirrors_left_to_right():
    images = noise(1, 3, 10, 10)
    assert torch.allclose(Move(ONE, flip=True).images(images, WHITE), images.flip(3), atol=1e-5)


def test_a_scale_is_about_the_centre():
    black = torch.zeros(1, 3, 20, 20)
    small = Move(ONE, scale=0.5).images(black, WHITE)
    assert torch.allclose(small[:, :, 5:15, 5:15], torch.zeros(1, 3, 10, 10), atol=1e-5)
    small[:, :, 5:15, 5:15] = 1
    assert (small == 1).all()


MOVES = [
    Move(torch.tensor([[2 / 8, 0.0]])),
    Move(torch.tensor([[0.0, -4 / 8]])),
    Move(ONE, flip=True),
    Move(torch.tensor([[2 / 8, 2 / 8]]), flip=True),
]


@pytest.mark.parametrize("move", MOVES)
def test_undoing_brings_a_map_back_where_it_was_inside(move):
    before = noise(1, 8, 8)
    # Moved as a picture is, so that undoing is held against doing.
    after = move.images(before[:, None].expand(1, 3, 8, 8), WHITE)[:, 0]
    back, inside = move.undo(after)
    assert torch.allclose(back[inside], before[inside], atol=1e-5)
    lost = 8 * 8 - (8 - round(4 * float(move.shift[0, 0].abs()))) * (
        8 - round(4 * float(move.shift[0, 1].abs()))
    )
    assert int((~inside).sum()) == lost


def test_a_smaller_object_is_found_again():
    """A slope over the picture stays a slope when the object is half as large."""
    x = (torch.arange(8) + 0.5) / 4 - 1
    slope = x.expand(1, 8, 8)
    back, inside = Move(ONE, scale=0.5).undo(slope)
    assert inside.all()
    assert torch.allclose(back, slope / 2, atol=1e-5)


def test_cells_that_left_the_frame_do_not_count():
    _, inside = Move(ONE, scale=2.0).undo(torch.zeros(1, 8, 8))
    assert inside[0].sum() == 16
    assert inside[0, 2:6, 2:6].all()


def test_shifts_are_by_a_cell_and_by_half_of_one():
    images = noise(40, 3, 40, 40)
    changes = moved(images, Preprocessing(size=40), cells=8, scale=0.8, seed=0)
    assert [change.name for change in changes] == [
        "shift by a cell",
        "shift by pixels",
        "flip",
        "scale",
    ]
    cell, pixels = (change.move.shift * 20 for change in changes[:2])
    assert cell.abs().amax(dim=1).tolist() == pytest.approx([5] * 40)
    assert pixels.abs().amax(dim=1).tolist() == pytest.approx([2] * 40)
    assert len({tuple(way) for way in cell.round().tolist()}) == 4


def test_noise_is_halved_until_it_is_quiet():
    images = torch.full((4, 3, 64, 64), 0.5)
    p = Preprocessing(size=64, mean=(0, 0, 0), std=(1, 1, 1))
    change, strength = quiet_noise(
        images,
        p,
        strongest=16.0,
        quiet=lambda noisy: float((noisy - images).std()) * 255 < 3,
        seed=0,
    )
    assert strength == 2.0
    assert float((change.images - images).std()) * 255 == pytest.approx(2, rel=0.02)
    assert quiet_noise(images, p, strongest=1.0, quiet=lambda _: False, seed=0)[1] == 0.5**HALVINGS


def test_noise_makes_pixels_that_a_picture_can_have():
    p = Preprocessing(size=8)
    mean, std = (torch.tensor(x)[:, None, None] for x in (p.mean, p.std))
    white = ((1 - mean) / std).expand(2, 3, 8, 8)
    change, _ = quiet_noise(white, p, strongest=64.0, quiet=lambda _: True, seed=0)
    pixels = change.images * std + mean
    assert float(pixels.max()) == pytest.approx(1, abs=1e-5)
    assert 0.3 < float((pixels < 0.999).float().mean()) < 0.6


class Darkness:
    """Where A is dark, on the watcher's cells: it follows the object exactly."""

    name = label = "darkness"
    grid, has_weights = "pixels", True

    def __call__(self, model, a, b):
        return Saliency(*(avg_pool2d(1 - x.mean(dim=1), 5) for x in (a, b)))


class Fixed:
    """The same slope whatever the pictures."""

    name = label = "fixed"
    grid, has_weights = "pixels", False

    def __call__(self, model, a, b):
        slope = torch.arange(64.0).view(8, 8).expand(len(a), 8, 8)
        return Saliency(slope, slope)


def test_a_map_that_follows_and_one_that_stays(watcher, album):
    follows, stays = measure_stability(Study.of(watcher, album, [Darkness(), Fixed()], count=4))
    by_name = {response.change: response for response in follows.responses}
    assert list(by_name) == ["shift by a cell", "shift by pixels", "flip", "scale", "noise"]
    for name in ("shift by a cell", "flip"):
        assert by_name[name].followed.values == pytest.approx([1] * 4, abs=1e-5)
        assert by_name[name].stayed.interval.high < 0.95
    assert 0.5 < by_name["shift by pixels"].followed.interval.mean < 1
    assert by_name["noise"].followed.interval.low > 0.99
    for response in stays.responses:
        assert response.stayed.values == pytest.approx([1] * 4)
    flip = {response.change: response for response in stays.responses}["flip"]
    assert flip.followed.interval.high < 0.99
    # Rows differ by 8, columns by 1: mirrored, the columns' share of the variance counts against.
    assert flip.followed.interval.mean == pytest.approx((64 - 1) / (64 + 1))


def test_changes_of_the_score_are_told(album):
    torch.manual_seed(0)
    p = Preprocessing(size=40, fit="stretch")
    model = create_model("tiny", dim=8, preprocessing=p).eval()
    (exact,) = measure_stability(Study.of(model, album, [METHODS["exact"]], count=4), noise=255.0)
    noisy, shifted = exact.responses[-1], exact.responses[0]
    assert noisy.score_change.mean <= 0.1 * exact.score_spread < shifted.score_change.mean
    assert 255 / 2**HALVINGS <= exact.noise < 255
    told = json.loads(json.dumps(exact.as_dict()))
    assert told["pairs"] == 4
    assert told["noise"] == exact.noise
    assert told["responses"][2]["followed"] == exact.responses[2].followed.as_dict()


def test_there_must_be_a_pair(watcher, album):
    with pytest.raises(UsageError, match="no class has two pictures"):
        Study.of(watcher, album.subset([0, 5]), [METHODS["exact"]])
