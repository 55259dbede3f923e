import json
from dataclasses import replace

import numpy as np
import pytest

from lookalike.errors import LookalikeError, UsageError
from lookalike.explanation import Contribution


def test_parts_that_add_up_leave_no_gap(why):
    assert why.gap == 0


@pytest.mark.parametrize(
    ("change", "gap"),
    [
        ({"score": 1.125}, 0.125),
        ({"groups": (Contribution("group 0", 1.25), Contribution("group 1", -0.375))}, 0.125),
        ({"regions": np.full((4, 2), 0.25)}, 1.0),
    ],
)
def test_the_gap_is_the_largest_difference(why, change, gap):
    assert replace(why, **change).gap == gap


@pytest.mark.parametrize("side", [0, 1])
def test_the_gap_sees_a_map_that_lost_a_cell(why, side):
    maps = [values.copy() for values in why.maps]
    maps[side][0, 0, 0] = 0
    assert replace(why, maps=tuple(maps)).gap == why.maps[side][0, 0, 0]


def test_the_gap_sees_maps_that_changed_places(why):
    swapped = (why.maps[0][::-1], why.maps[1])
    assert replace(why, maps=swapped).gap == 1.5


def test_matches_of_a_cell_are_its_row(why):
    assert why.matches((0, 0)).tolist() == [[0.5, 0.25]]
    assert why.matches((1, 1)).tolist() == [[0, 0.25]]
    assert why.matches((0, 1)).tolist() == [[0, 0]]


def test_matches_the_other_way_round(why):
    assert why.matches((0, 1), of="b").tolist() == [[0.25, 0], [0, 0.25]]


def test_matches_of_a_box_count_cells_by_share(why):
    # The left half of cell (0, 0): A's cells are 100 pixels wide and begin at x = 50.
    assert why.matches((50.0, 0.0, 100.0, 100.0)).tolist() == [[0.25, 0.125]]


def test_matches_of_everything_are_the_map_of_the_other(why):
    np.testing.assert_allclose(why.matches(np.ones((2, 2), dtype=bool)), [[0.5, 0.5]])


def test_words(why):
    assert why.meaning == "above 99.0 % of different pairs and 41.3 % of same pairs"
    assert replace(why, percentile_same=None, percentile_different=None).meaning is None
    assert str(why).splitlines() == [
        "similarity   +1.0000: above 99.0 % of different pairs and 41.3 % of same pairs",
        "group 0      +1.2500",
        "group 1      -0.2500",
        "gap          0.0e+00",
        "Carried most by group 0, +1.250, at the upper left of A and all over B.",
        "Against it most: group 1, −0.250, at the upper left of A and at the left of B.",
    ]


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("/x.jpg", "/x.jpg"),
        ("birds/tit/two  words\n.jpg", "tit/two words .jpg"),
        ("folder/" + "é" * 60 + ".jpg", "…" + "é" * 35 + ".jpg"),
    ],
)
def test_labels_are_short_and_on_one_line(why, name, label):
    assert replace(why.pictures[0], name=name).label == label


def test_json_holds_the_arrays(why):
    record = json.loads(why.to_json())
    assert record["score"] == 1
    assert record["gap"] == 0
    assert record["groups"][1] == {"name": "group 1", "value": -0.25, "name_holds": None}
    assert np.sum(record["regions"]) == 1
    a, b = record["pictures"]
    assert a["name"] == "a folder/one.png"
    assert (a["width"], a["height"], a["box"]) == (300, 200, [50, 0, 250, 200])
    assert (a["grid"], b["grid"]) == ([2, 2], [1, 2])
    for side, picture in enumerate((a, b)):
        np.testing.assert_array_equal(picture["maps"], why.maps[side])
        np.testing.assert_array_equal(picture["attention"], why.attention[side])
    assert set(record["versions"]) == {"lookalike", "torch"}
    assert (record["percentile_same"], record["percentile_different"]) == (41.26, 99.0)


@pytest.mark.parametrize("suffix", [".png", ".html", ".json", ".JSON"])
def test_save_writes_what_the_suffix_says(why, tmp_path, suffix):
    path = tmp_path / f"why{suffix}"
    why.save(path)
    begins = {".png": b"\x89PNG", ".html": b"<!doctype html>", ".json": b'{"score": 1.0'}
    assert path.read_bytes().startswith(begins[suffix.lower()])


@pytest.mark.parametrize("name", ["why.pdf", "why"])
def test_save_refuses_other_suffixes(why, tmp_path, name):
    with pytest.raises(UsageError, match=r"why.*\.png, \.html or \.json"):
        why.save(tmp_path / name)


@pytest.mark.parametrize("suffix", [".png", ".json"])
def test_save_names_a_file_that_cannot_be_written(why, tmp_path, suffix):
    with pytest.raises(LookalikeError, match=r"nowhere.*: cannot be written: No such file"):
        why.save(tmp_path / "nowhere" / f"why{suffix}")
