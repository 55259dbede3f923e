"""Why are A and B different: what their score lacks, by group, by node and by region."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from lookalike.explanation import Contribution
from lookalike.explanation.account.group_names import GroupNames
from lookalike.explanation.questions import Difference, explain_why_different


@pytest.fixture(params=["plain", "graph"])
def model(request, plain, graph_of):
    return plain if request.param == "plain" else graph_of(0, 1, 2)


def test_of_cosines_a_group_lacks_half_the_squared_distance(plain, noise):
    a, b = noise(1), noise(2)
    found = explain_why_different(plain, a, b)
    vectors = plain.embed([a, b]).levels[0].vectors
    lacking = (vectors[0] - vectors[1]).square().sum(dim=1) / 2 / 2  # of two groups, a half each
    assert [group.value for group in found.groups] == pytest.approx(lacking.tolist(), abs=1e-6)
    assert found.perfect == pytest.approx(1, abs=1e-6)


def test_everything_sums_to_what_is_missing(model, noise):
    a, b = noise(1), noise(2)
    found = explain_why_different(model, a, b)
    e = model.embed([a, b])
    own = model.similarity.pairs(e, e)
    score = float(model.similarity.pairs(e[0], e[1]))
    assert found.value == pytest.approx(float(own.mean()) - score, abs=1e-6)
    assert sum(group.value for group in found.groups) == pytest.approx(found.value, abs=1e-6)
    assert found.gap < 1e-6
    sums = [float(maps.sum()) for maps in found.maps]
    if found.why.together:
        assert sum(sums) == pytest.approx(found.value, abs=1e-6)
    else:
        assert sums == pytest.approx((own - score).tolist(), abs=1e-6)


def test_a_cell_lacks_what_it_gives_to_its_own_picture_less_what_it_gives_to_the_other(
    plain, noise
):
    a, b = noise(1), noise(2)
    found = explain_why_different(plain, a, b)
    images = torch.cat([_pixels(plain, picture) for picture in (a, b)])
    with torch.no_grad():
        tokens = plain.head.tokens(plain.features(images)).levels[0]
    vectors = tokens.sum(dim=2, keepdim=True)
    for side in (0, 1):
        lacking = (tokens[side] * (vectors[side] - vectors[1 - side])).sum(dim=2) / 2
        expected = lacking.view_as(torch.from_numpy(found.maps[side]))
        np.testing.assert_allclose(found.maps[side], expected, atol=1e-6)


def _pixels(model, picture):
    from lookalike.data import read_for, to_inputs

    return to_inputs([read_for(picture, model.preprocessing)], model.preprocessing)


def test_nothing_sets_a_picture_apart_from_itself(model, noise):
    found = explain_why_different(model, noise(1), noise(1))
    assert found.value == pytest.approx(0, abs=1e-6)
    assert found.story().sentences[0] == "Nothing sets them apart."
    assert found.story().bars == ()


@pytest.fixture
def made(why) -> Difference:
    """A score of 1 of which group 0 lacks 3/4 of another 1, all at the lower right of B."""
    grown_a, grown_b = why.maps[0].copy(), why.maps[1].copy()
    grown_a[0, 0, 1] += 0.75
    grown_a[1, 1, 0] += 0.25
    grown_b[0, 0, 1] += 0.75
    grown_b[1, 0, 0] += 0.25
    groups = (Contribution("group 0", 2.0), Contribution("group 1", 0.0))
    own = replace(why, score=2.0, groups=groups, regions=why.regions * 2)
    return Difference(why, (replace(own, maps=(grown_a,) * 2), replace(own, maps=(grown_b,) * 2)))


def test_told(made):
    assert made.value == 1.0
    assert made.gap == 0
    told = made.story()
    assert told.question == "Why are A and B different?"
    assert told.sentences == (
        "They differ most in group 0, at the upper right of A and at the right of B: 75 % of what "
        "is missing.",
        "They differ least in group 1: 25 %.",
        "Their score is 1.000 below the 2.000 of a picture with itself.",
        "A and B: similarity 1.000, above 99.0 % of different pairs and 41.3 % of same pairs.",
        "Against it most: group 1, −0.250, at the upper left of A and at the left of B.",
    )
    assert [bar.value for bar in told.bars] == [-0.75, -0.25]


def test_what_does_not_add_up_shows_in_the_gap(made):
    wrong = made.why.maps[0] + 0.0625
    assert (
        Difference(replace(made.why, maps=(wrong, made.why.maps[1])), made.with_itself).gap == 0.5
    )


def test_what_is_missing_is_blue(made):
    (row,) = made.rows()
    drawn = np.asarray(row.tiles[2].picture).astype(int)
    assert (drawn[..., 2] - drawn[..., 0]).max() > 60
    assert (drawn[..., 0] - drawn[..., 2]).max() < 30


def test_names_and_numbers(plain, noise):
    names = GroupNames(("ears", None), (0.5, None), (0.1, None))
    found = explain_why_different(plain, noise(1), noise(2), names=names)
    record = json.loads(found.to_json())
    assert [group["name"] for group in record["groups"]] == ["ears (group 0)", "group 1"]
    assert record["missing"] == found.value
    assert np.array(record["over_a"]).sum() == pytest.approx(found.value, abs=1e-5)
    assert "ears (group 0) is right in 50 % of pictures." in str(found)


def test_nodes_of_a_graph_take_what_is_missing(graph_of, noise):
    names = GroupNames(tuple(f"n{i}" for i in range(12)))
    found = explain_why_different(graph_of(0, 1), noise(1), noise(2), names=names)
    taken = found.nodes(24)
    assert sum(node.value for node in taken) == pytest.approx(found.value, abs=1e-6)
    note = found.story().notes[-1]
    assert note.startswith(f"Nodes that set them apart most: {taken[0].label}, −")
