import json
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from lookalike.data import FIGURE_PARTS, Catalog, read_for, read_masks, to_inputs, write_parts
from lookalike.errors import UsageError
from lookalike.explanation.account.group_names import GroupNames
from lookalike.explanation.groups.maps import token_lengths
from lookalike.explanation.measures.group_object_parts import (
    PeakParts,
    describe_groups,
    name_groups,
    peak_parts,
)
from lookalike.heads import Attentive, Ensemble, Single
from lookalike.model import create_model
from lookalike.preprocessing import Preprocessing
from lookalike.statistics.information import mutual_information
from lookalike.types import FeatureMaps, Tokens

COLUMNS = ("head", "body", "background")


def peaks(codes, labels):
    return PeakParts("attention", COLUMNS, np.array(codes), np.array(labels), np.ones(3) / 3, 0)


@pytest.fixture
def told() -> PeakParts:
    """Three groups over five pictures of classes 4, 4, 4, 7, 7."""
    codes = [[0, 0, 2], [0, 1, 2], [0, 2, 2], [0, 0, 1], [0, 1, 1]]
    return peaks(codes, [4, 4, 4, 7, 7])


def test_counts_by_hand(told):
    assert told.counts.tolist() == [[5, 0, 0], [2, 2, 1], [0, 2, 3]]
    assert told.counts_by_class.tolist() == [
        [[3, 0, 0], [1, 1, 1], [0, 0, 3]],
        [[2, 0, 0], [1, 1, 0], [0, 2, 0]],
    ]


def test_what_groups_keep_to_by_hand(told):
    found = describe_groups(told)
    assert found.most_common.tolist() == [0, 0, 2]
    assert found.purity == pytest.approx([1, 2 / 5, 3 / 5])
    assert found.within_class == pytest.approx([1, 2 / 5, 1])
    assert found.same_class == pytest.approx([1, 0, 1])
    assert found.other_class == pytest.approx([1, 2 / 6, 0])
    thirds = -(3 / 5 * np.log2(3 / 5) + 2 / 5 * np.log2(2 / 5))
    fifths = -(2 * 2 / 5 * np.log2(2 / 5) + 1 / 5 * np.log2(1 / 5))
    assert found.entropy == pytest.approx([0, fifths, thirds])
    assert found.information == mutual_information(told.counts)


def test_agreement_is_that_of_all_pairs():
    random = np.random.default_rng(0)
    codes, labels = random.integers(0, 3, (30, 4)), random.integers(0, 5, 30)
    found = describe_groups(peaks(codes, labels))
    for group in range(4):
        alike = {True: [], False: []}
        for i, j in combinations(range(30), 2):
            alike[labels[i] == labels[j]].append(codes[i, group] == codes[j, group])
        assert found.same_class[group] == pytest.approx(np.mean(alike[True]))
        assert found.other_class[group] == pytest.approx(np.mean(alike[False]))


def test_groups_that_go_each_their_own_way_are_told_from_chance():
    apart = describe_groups(peaks([[0, 1]] * 50, [0] * 50))
    assert apart.information == pytest.approx(1)
    assert apart.information_by_chance < 0.1
    random = np.random.default_rng(0).integers(0, 3, (50, 2))
    same = describe_groups(peaks(random, [0] * 50))
    assert abs(same.information - same.information_by_chance) < 0.03
    assert same.information_by_chance > 0.003  # what so few pictures feign
    again = describe_groups(peaks(random, [0] * 50))
    assert again.information_by_chance == same.information_by_chance
    other = describe_groups(peaks(random, [0] * 50), seed=1)
    assert other.information_by_chance != same.information_by_chance


def test_one_class_and_single_pictures_have_no_pairs():
    one = describe_groups(peaks([[0], [1], [0]], [5, 5, 5]))
    assert one.same_class == pytest.approx([1 / 3])
    assert np.isnan(one.other_class).all()
    single = describe_groups(peaks([[0], [1], [0]], [1, 2, 3]))
    assert np.isnan(single.same_class).all()
    assert single.other_class == pytest.approx([1 / 3])
    written = json.loads(json.dumps(single.as_dict(), allow_nan=False))
    assert written["same_class"] == [None]
    assert written["mean"]["same_class"] is None
    assert written["mean"]["purity"] == pytest.approx(2 / 3)
    assert written["most_common"] == ["head"]
    assert written["counts"] == [[2, 1, 0]]


@pytest.fixture
def figures(tmp_path) -> Catalog:
    return write_parts(tmp_path, classes=4, images_per_class=3, seed=0)


class Pointer(nn.Module):
    """A head whose groups look at the first pixel of a part that there is, or at a corner.

    Its longest tokens lie in the first pixel of the marking, whatever the group.
    """

    groups = 3

    def __init__(self, catalog):
        super().__init__()
        self.masks = [read_masks(catalog.path(i)) for i in range(len(catalog))]
        self.seen = 0

    def breakdown(self, maps):
        n, _, height, width = maps.stages[-1].shape
        drawn = torch.zeros(n, 3, height, width)
        for i, masks in enumerate(self.masks[self.seen : self.seen + n]):
            for group, part in enumerate(("body", "head")):
                y, x = np.argwhere(masks[part])[0]
                drawn[i, group, y, x] = 1
            drawn[i, 2, 0, 0] = 1
        return SimpleNamespace(weights=lambda: drawn)

    def tokens(self, maps):
        n, _, height, width = maps.stages[-1].shape
        drawn = torch.full((n, 3, height * width, 2), 0.1)
        for i, masks in enumerate(self.masks[self.seen : self.seen + n]):
            drawn[i, :, np.flatnonzero(masks["marking"])[0]] = -1.0
        self.seen += n
        return Tokens((drawn,), ((height, width),))


def test_peaks_are_counted_by_part_in_one_pass(figures):
    model = create_model("tiny", head=Single(), dim=8, preprocessing=Preprocessing(size=96))
    forwards = []
    model.backbone.forward = lambda images: (
        forwards.append(len(images)) or FeatureMaps((images,), (1,))
    )
    model.head = Pointer(figures)
    attention, tokens = peak_parts(model, figures, offset=(0.0, 0.0), batch_size=5)
    assert (attention.of, tokens.of) == ("attention", "tokens")
    assert attention.columns == tokens.columns == (*FIGURE_PARTS, "background")
    expected = np.zeros((3, 5), int)
    expected[0, FIGURE_PARTS.index("body")] = 12
    expected[1, FIGURE_PARTS.index("head")] = 12
    expected[2, len(FIGURE_PARTS)] = 12
    assert attention.counts.tolist() == expected.tolist()
    expected = np.zeros((3, 5), int)
    expected[:, FIGURE_PARTS.index("marking")] = 12
    assert tokens.counts.tolist() == expected.tolist()
    assert forwards == [5, 5, 2]  # once for both maps


def test_groups_that_look_at_one_place_know_nothing(figures):
    model = create_model("tiny", head=Single(), dim=8)
    for found in peak_parts(model, figures):
        assert found.information == 0.0
        assert found.counts.sum() == len(figures)


@pytest.fixture
def attentive():
    torch.manual_seed(3)
    return create_model("tiny", head=Attentive(groups=5, query_scale=30), dim=10).eval()


@torch.no_grad()
def looked_up(model, catalog, of):
    """Find the part at the middle of each peak's cell, one picture and group at a time."""
    counts = np.zeros((model.head.groups, len(FIGURE_PARTS) + 1), int)
    for row in range(len(catalog)):
        p = model.preprocessing
        features = model.features(to_inputs([read_for(catalog.path(row), p)], p))
        known = model.head.breakdown(features)
        maps = token_lengths(known.tokens) if of == "tokens" else known.attention
        masks = read_masks(catalog.path(row))
        height, width = masks[FIGURE_PARTS[0]].shape
        seen = p.geometry(width, height)
        for group, values in enumerate(maps[0]):
            cell = np.unravel_index(int(values.argmax()), values.shape)
            left, top, right, bottom = seen.cell(int(cell[0]), int(cell[1]), tuple(values.shape))
            x, y = int((left + right) / 2), int((top + bottom) / 2)
            here = [i for i, part in enumerate(FIGURE_PARTS) if masks[part][y, x]]
            counts[group, here[0] if here else len(FIGURE_PARTS)] += 1
    return counts


@pytest.mark.parametrize("of", ["attention", "tokens"])
def test_peaks_are_those_that_are_looked_up_one_by_one(figures, attentive, of):
    (found,) = peak_parts(attentive, figures, maps=[of], offset=(0.0, 0.0))
    assert found.of == of
    assert found.columns == (*FIGURE_PARTS, "background")
    assert found.counts.tolist() == looked_up(attentive, figures, of).tolist()
    assert (found.counts > 0).sum() > 5  # not all in one place
    assert found.labels.tolist() == figures.labels.tolist()
    assert found.chance.sum() == pytest.approx(1)


def test_maps_of_different_grids_have_cells_of_their_own(figures):
    torch.manual_seed(0)
    model = create_model("tiny", head=Ensemble(groups=3, branch=-1), dim=9).eval()
    images = torch.zeros(1, 3, model.preprocessing.size, model.preprocessing.size)
    features = model.features(images)
    known = model.head.breakdown(features)
    sides = {len(m[0, 0]) for m in (known.attention, token_lengths(known.tokens))}
    assert len(sides) == 2
    for found in peak_parts(model, figures, offset=(0.0, 0.0)):
        assert found.counts.tolist() == looked_up(model, figures, found.of).tolist()


def test_peaks_go_with_what_a_cell_sees(figures, attentive):
    measured, _ = peak_parts(attentive, figures)
    far, _ = peak_parts(attentive, figures, offset=(1000.0, 0.0))
    assert (far.codes == len(FIGURE_PARTS)).all()
    assert far.chance.tolist() == [0, 0, 0, 0, 1]
    assert (measured.codes < len(FIGURE_PARTS)).any()


def test_the_nearest_keypoint_counts_where_there_are_keypoints(watcher, album):
    # The first dark cell is at (2, 3), its middle at x 17.5, y 12.5; the light group's is (0, 0).
    points = np.tile([[17.5, 13.0], [2.5, 2.5], [30.0, 30.0]], (6, 1, 1))
    points[5] = np.nan
    marked = Catalog(
        album.root,
        album.paths,
        album.labels,
        album.class_names,
        keypoints=points,
        keypoint_names=("eye", "foot", "tail"),
    )
    found, _ = peak_parts(watcher, marked)
    assert found.left_out == 1
    assert found.codes[:, [0, 2]].tolist() == [[0, 1]] * 5
    assert found.labels.tolist() == marked.labels[:5].tolist()


def test_names_come_from_the_part_that_is_most_often_under_the_peak():
    codes = np.array([[0, 2, 2], [0, 2, 1], [1, 2, 2], [0, 2, 2]])
    chance = np.array([0.125, 0.3, 0.575])
    peaks = PeakParts(
        "attention", ("head", "body", "background"), codes, np.zeros(4, int), chance, 0
    )
    found = name_groups(peaks)
    # The second peaks on the background alone, the third on the body less often than chance.
    assert found == GroupNames(("head", None, None), (0.75, None, None), (0.125, None, None))


def test_a_name_must_be_right_often_enough():
    codes = np.array([[0, 1], [0, 1], [1, 2], [0, 2]])
    peaks = PeakParts(
        "attention", ("head", "body", "none"), codes, np.zeros(4, int), np.full(3, 0.1), 0
    )
    assert name_groups(peaks, at_least=0.5).names == ("head", "body")
    assert name_groups(peaks, at_least=0.51).names == ("head", None)
    assert name_groups(peaks, at_least=0.76).names == (None, None)
    with pytest.raises(UsageError, match=r"at_least = 1\.5"):
        name_groups(peaks, at_least=1.5)
