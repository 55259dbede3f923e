import json
from itertools import combinations

import numpy as np
import pytest
import torch

from lookalike.data import Catalog, write_parts
from lookalike.data.parts import PARTS
from lookalike.explanation.information import mutual_information, part_counts
from lookalike.explanation.measures.groups import PeakParts, describe_groups, peak_parts
from lookalike.heads import Attentive
from lookalike.model import create_model

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
def attentive():
    torch.manual_seed(3)
    return create_model("tiny", head=Attentive(groups=5, query_scale=30), dim=10).eval()


@pytest.mark.parametrize("of", ["attention", "tokens"])
def test_peaks_are_those_that_are_counted_by_part(tmp_path, attentive, of):
    figures = write_parts(tmp_path, classes=4, images_per_class=3, seed=0)
    found = peak_parts(attentive, figures, of=of, offset=(0.0, 0.0))
    assert found.columns == (*PARTS, "background")
    assert found.counts.tolist() == getattr(part_counts(attentive, figures), of).tolist()
    assert (found.counts > 0).sum() > 5  # not all in one place
    assert found.labels.tolist() == figures.labels.tolist()
    assert found.chance.sum() == pytest.approx(1)


def test_peaks_go_with_what_a_cell_sees(tmp_path, attentive):
    figures = write_parts(tmp_path, classes=4, images_per_class=3, seed=0)
    measured = peak_parts(attentive, figures)
    far = peak_parts(attentive, figures, offset=(1000.0, 0.0))
    assert (far.codes == len(PARTS)).all()
    assert far.chance.tolist() == [0, 0, 0, 0, 1]
    assert (measured.codes < len(PARTS)).any()


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
    found = peak_parts(watcher, marked)
    assert found.left_out == 1
    assert found.codes[:, [0, 2]].tolist() == [[0, 1]] * 5
    assert found.labels.tolist() == marked.labels[:5].tolist()
