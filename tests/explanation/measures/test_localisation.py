from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch
from PIL import Image
from torch.nn.functional import avg_pool2d, conv2d, pad

from lookalike.data import FIGURE_PARTS, Catalog, Entry, PartsSpec, read_masks, write_parts
from lookalike.errors import UsageError
from lookalike.explanation.measures import Study
from lookalike.explanation.measures.localisation import (
    measure_localisation,
)
from lookalike.explanation.measures.maps_on_object_parts import by_chance, shares_of
from lookalike.explanation.measures.object_parts import (
    PartsUnderCells,
    known_parts,
    parts_under_cells,
    seen_by,
)
from lookalike.explanation.measures.receptive_field import receptive_field_offset
from lookalike.explanation.saliency import METHODS, Saliency
from lookalike.heads import Ensemble
from lookalike.model import create_model
from lookalike.preprocessing import Preprocessing
from lookalike.types import FeatureMaps

CELL, CELLS = 5, 8  # the watcher's map
NOWHERE = (np.nan, np.nan)


def middle(cell):
    """x and y of the middle of a cell of the watcher's map."""
    return (CELL * (cell[1] + 0.5), CELL * (cell[0] + 0.5))


@pytest.fixture
def marked(tmp_path) -> Catalog:
    """Four pictures of one class with one dark cell each, and two keypoints.

    The picture's diagonal is 56.6 pixels, so near is within 5.66; the third picture has a box
    whose diagonal is 25, so near is within 2.5.
    """
    dark = [(2, 3), (4, 4), (1, 6), (6, 1)]
    entries = []
    for number, cell in enumerate(dark):
        pixels = np.full((CELLS, CELLS), 255, np.uint8)
        pixels[cell] = 0
        file = f"{number}.png"
        Image.fromarray(pixels.repeat(CELL, 0).repeat(CELL, 1)).convert("RGB").save(tmp_path / file)
        x, y = middle(cell)
        points = [
            ((x + 5.5, y), (x + 3, y)),  # both are near, the second nearer
            ((x + 4, y + 4.1), NOWHERE),  # 5.73 away: not near
            ((x + 2.4, y), NOWHERE),
            (NOWHERE, NOWHERE),
        ][number]
        box = (10.0, 0.0, 25.0, 20.0) if number == 2 else None
        entries.append(Entry(file, "all", number, box=box, keypoints=points))
    return Catalog.from_entries(tmp_path, entries, keypoint_names=("beak", "tail"))


class Dark:
    """A method whose map is how dark each of the watcher's cells is, and grey is none."""

    name = label = "dark"
    grid, has_weights = "pixels", True

    def __init__(self, sign=1.0):
        self.sign = sign

    def __call__(self, model, a, b):
        maps = [avg_pool2d(1 - x.mean(dim=1), CELL) * self.sign for x in (a, b)]
        return Saliency.of(*maps)


def test_a_hit_is_a_peak_near_a_visible_keypoint(watcher, marked):
    (found,) = measure_localisation(Study.of(watcher, marked, [Dark()], count=99))
    # Pictures 0 to 2 have a keypoint; each is in two of the three pairs.
    assert (found.maps, found.left_out) == (6, 0)
    assert found.whole.name == "any keypoint"
    assert found.whole.peaks.mean == pytest.approx(2 / 3)
    assert [(part.name, part.peaks.mean) for part in found.parts] == [
        ("beak", pytest.approx(1 / 3)),
        ("tail", pytest.approx(1 / 3)),
    ]
    assert found.whole.peaks.low <= 2 / 3 <= found.whole.peaks.high


def nearest(catalog, row, point):
    """What a point is on, written out."""
    box = catalog.boxes[row]
    reach = 0.1 * (40 * 2**0.5 if np.isnan(box).any() else np.hypot(*(box[2:] - box[:2])))
    apart = [np.hypot(*(keypoint - point)) for keypoint in catalog.keypoints[row]]
    best = min((d, i) for i, d in enumerate(apart) if not np.isnan(d))
    return best[1] if best[0] <= reach else 2


def test_chance_is_what_any_cell_would_get(watcher, marked):
    (found,) = measure_localisation(Study.of(watcher, marked, [Dark()], count=99))
    hits, areas = [], []
    for row in range(3):
        cells = list(product(range(CELLS), range(CELLS)))
        hits.append(np.mean([nearest(marked, row, middle(cell)) == 0 for cell in cells]))
        fine = (np.arange(CELLS * 9) + 0.5) * CELL / 9
        areas.append(np.mean([nearest(marked, row, (x, y)) == 0 for x in fine for y in fine]))
    assert found.parts[0].peaks_by_chance == pytest.approx(np.mean(hits))
    assert found.parts[0].mass_by_chance == pytest.approx(np.mean(areas))
    # The disc around a keypoint, cut in half where the second one is nearer.
    assert 0 < np.mean(areas) < np.pi * 5.66**2 / 1600


def test_mass_is_what_is_above_zero_by_area(watcher, marked):
    (found,) = measure_localisation(Study.of(watcher, marked, [Dark()], count=99))
    fine = (np.arange(9) - 4) * CELL / 9
    expected = []
    for row, cell in enumerate([(2, 3), (4, 4), (1, 6)]):
        x, y = middle(cell)
        expected.append(
            np.mean([nearest(marked, row, (x + u, y + v)) < 2 for u in fine for v in fine])
        )
    assert found.whole.mass.mean == pytest.approx(np.mean(expected))


def test_maps_without_a_value_above_zero_are_left_out(watcher, marked):
    class Late(Dark):
        """Below zero in pictures whose dark cell is in the upper half."""

        def __call__(self, model, a, b):
            maps = super().__call__(model, a, b)
            for side in (maps.a, maps.b):
                upper = side[:, : CELLS // 2].sum(dim=(1, 2)) > 0.5
                side[upper] *= -1
            return maps

    (found,) = measure_localisation(Study.of(watcher, marked, [Late()], count=99))
    assert (found.maps, found.left_out) == (2, 4)  # picture 1, which is near nothing
    assert found.whole.peaks.mean == 0
    with pytest.raises(UsageError, match="dark: no map has a value above zero"):
        measure_localisation(Study.of(watcher, marked, [Dark(sign=-1)]))


def test_catalogs_in_which_nothing_is_known(album, marked):
    for catalog in (album, marked.subset([3])):
        with pytest.raises(UsageError, match="no parts are known"):
            known_parts(catalog)


@pytest.fixture
def figures(tmp_path):
    return write_parts(tmp_path, classes=2, images_per_class=2, seed=1, spec=PartsSpec(size=36))


def test_masks_are_covered_by_cells_exactly(figures):
    known = known_parts(figures)
    for row in range(len(figures)):
        cells = parts_under_cells(known, row, Preprocessing(size=36), (4, 4))  # of 9 pixels
        masks = read_masks(figures.path(row))
        every = np.stack([*masks.values(), ~np.any(list(masks.values()), axis=0)])
        shares = every.reshape(5, 4, 9, 4, 9).mean(axis=(2, 4)).reshape(5, 16).T
        assert cells.cover == pytest.approx(shares)
        assert cells.centre.tolist() == every[:, 4::9, 4::9].argmax(axis=0).ravel().tolist()


def test_cells_of_padding_are_on_nothing(tmp_path, figures):
    path = figures.path(0)
    with Image.open(path) as picture, Image.open(str(path).replace("images", "masks")) as mask:
        picture.crop((0, 0, 36, 18)).save(path)
        mask.crop((0, 0, 36, 18)).save(str(path).replace("images", "masks"))
    known = known_parts(figures)
    padded = Preprocessing(size=36, fit="pad")
    cells = parts_under_cells(known, 0, padded, (4, 4))
    assert (cells.centre.reshape(4, 4)[[0, 3]] == len(FIGURE_PARTS)).all()
    assert cells.cover.reshape(4, 4, 5)[[0, 3], :, :4].sum() == 0


def test_an_offset_moves_all_cells(figures):
    known = known_parts(figures)
    p = Preprocessing(size=72)  # two of its pixels are one of the picture's
    still = parts_under_cells(known, 0, p, (12, 12))
    moved = parts_under_cells(known, 0, p, (12, 12), offset=(6.0, -12.0))  # one cell right, two up
    grids = [cells.centre.reshape(12, 12) for cells in (still, moved)]
    assert (grids[1][2:, :-1] == grids[0][:-2, 1:]).all()
    assert len(np.unique(grids[0])) > 2


def test_boxes_say_what_a_network_that_uses_them_has_seen(marked):
    boxed = replace(marked, boxes=np.tile([9.6, 4.0, 30.2, 24.0], (4, 1)))
    used = Preprocessing(size=40, fit="stretch", use_boxes=True)
    assert seen_by(boxed, 0, used).box == (9.0, 4.0, 31.0, 24.0)
    assert seen_by(boxed, 0, used.model_copy(update={"use_boxes": False})).box == (0, 0, 40, 40)
    assert seen_by(boxed, 0, used.model_copy(update={"fit": "pad"})).box == (9.0, 3.0, 31.0, 25.0)


def test_cells_that_tie_share_the_peak():
    cells = cells_like([0, 1, 1, 2])
    shares = shares_of(np.array([[3.0, 3.0, 1.0, -5.0], [-1.0, 2.0, 2.0, 4.0]]), cells)
    assert shares.peaks.tolist() == [[0.5, 0.5, 0], [0, 0, 1]]
    assert shares.mass == pytest.approx(np.array([[3, 4, 0], [0, 4, 4]]) / [[7], [8]])
    assert by_chance(cells).peaks.tolist() == [[0.25, 0.5, 0.25]]


def cells_like(centre):
    return PartsUnderCells(np.array(centre), np.eye(3)[centre])


class Strided(torch.nn.Module):
    """Two convolutions of stride 2 that add up, with padding before and behind."""

    channels, names = (1,), ("only",)
    strides = (4,)

    def __init__(self, before, behind):
        super().__init__()
        self.padding = (before, behind) * 2

    def forward(self, images):
        z = images.mean(dim=1, keepdim=True)
        for _ in range(2):
            z = conv2d(pad(z, self.padding), torch.ones(1, 1, 3, 3), stride=2)
        return FeatureMaps((z,), self.strides)


@pytest.mark.parametrize(
    ("padding", "offset"),
    [
        ((1, 1), -1.5),  # half a pixel of the input, and then half of two
        ((0, 1), 1.5),
    ],
)
def test_padding_moves_what_a_cell_sees(watcher, padding, offset):
    watcher.backbone = Strided(*padding)
    assert receptive_field_offset(watcher) == pytest.approx((offset, offset), abs=0.05)


def test_cells_of_learners_that_branch_off():
    torch.manual_seed(0)
    model = create_model(
        "tiny", head=Ensemble(groups=3, branch=-1), dim=9, preprocessing=Preprocessing(size=64)
    )
    # Each convolution of stride 2 looks up and left by half of a pixel of what it reads.
    assert receptive_field_offset(model, (16, 16)) == pytest.approx((-1.5, -1.5), abs=0.4)
    assert receptive_field_offset(model, (8, 8)) == pytest.approx((-3.5, -3.5), abs=0.4)


def test_learners_that_branch_off_are_localised(figures):
    model = create_model("tiny", head=Ensemble(groups=3, branch=-1), dim=9)
    (found,) = measure_localisation(Study.of(model, figures, [METHODS["exact"]], count=2))
    assert found.maps == 4


def test_cells_that_look_where_they_are_drawn(watcher):
    assert receptive_field_offset(watcher) == pytest.approx((0, 0), abs=1e-5)
    assert receptive_field_offset(watcher, (8, 8)) == receptive_field_offset(watcher)
    with pytest.raises(ValueError, match="no stage has a map of 3×3"):
        receptive_field_offset(watcher, (3, 3))


def test_maps_of_cells_are_moved_and_those_of_pixels_are_not(watcher, marked):
    class OnCells(Dark):
        grid = "positions"

    class Moved(torch.nn.Module):
        """The watcher's backbone, each cell of which sees what is one cell to its left."""

        channels, strides, names = (1,), (CELL,), ("darkness",)

        def forward(self, images):
            dark = avg_pool2d(1 - images.mean(dim=1, keepdim=True), CELL)
            return FeatureMaps((dark.roll(1, dims=3),), self.strides)

    watcher.backbone = Moved()
    assert receptive_field_offset(watcher) == pytest.approx((-CELL, 0), abs=1e-5)
    pixelwise, on_cells = measure_localisation(
        Study.of(watcher, marked, [Dark(), OnCells()], count=99)
    )
    assert pixelwise.whole.peaks.mean == pytest.approx(2 / 3)
    assert on_cells.whole.peaks.mean == 0
