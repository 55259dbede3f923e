"""Why is B above C: the margin by group, by node and by region, adding up."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from lookalike.explanation import Contribution, explain
from lookalike.explanation.account.group_names import GroupNames
from lookalike.explanation.questions import ScoreMargin, explain_why_above
from lookalike.model import Model

PARTS = ("A, the query", "B: 1.000", "C: 0.500")


@pytest.fixture
def margin(why) -> ScoreMargin:
    """A score of 1 against one of 1/2, in which all of group 0 is halved but for one cell."""
    maps = (why.maps[0].copy(), why.maps[1].copy())
    maps[0][0, 0, 0] = 0.5
    maps[1][0] -= 0.25
    second = replace(
        why,
        score=0.5,
        groups=(Contribution("group 0", 0.75), Contribution("group 1", -0.25)),
        maps=maps,
        regions=why.regions / 2,
    )
    return ScoreMargin(why, second)


def test_differences_by_hand(margin):
    assert margin.value == 0.5
    assert margin.groups == (Contribution("group 0", 0.5), Contribution("group 1", 0.0))
    np.testing.assert_array_equal(margin.over_a[0], [[0.5, 0], [0, 0]])
    assert not margin.over_a[1].any()
    assert margin.over_b.sum() + margin.over_c.sum() == 0.5
    assert margin.gap == 0
    assert margin.nodes() == []


@pytest.mark.parametrize("field", ["score", "groups", "over a", "over b"])
def test_what_does_not_add_up_shows_in_the_gap(margin, field):
    first = margin.first
    wrong = {
        "score": lambda: replace(first, score=1.25),
        "groups": lambda: replace(first, groups=(Contribution("group 0", 1.5), first.groups[1])),
        "over a": lambda: replace(first, maps=(first.maps[0] + 0.0625 / 2, first.maps[1])),
        "over b": lambda: replace(first, maps=(first.maps[0], first.maps[1] + 0.0625)),
    }[field]()
    assert ScoreMargin(wrong, margin.second).gap == 0.25


def test_told(margin):
    told = margin.story()
    assert told.question == "Why is B above C for A?"
    assert told.sentences == (
        "B is above C by 0.500.",
        "For B most: group 0, +0.500, at the upper left of A.",
        "Nothing speaks for C.",
        "A and B: similarity 1.000, above 99.0 % of different pairs and 41.3 % of same pairs.",
        "A and C: similarity 0.500, above 99.0 % of different pairs and 41.3 % of same pairs.",
    )
    assert told.ends == ("speaks for C", "speaks for B")


def test_c_may_in_truth_be_above(margin):
    turned = ScoreMargin(margin.second, margin.first)
    assert turned.value == -0.5
    told = turned.story().sentences
    assert told[0] == "B is not above C: C is above B by 0.500."
    assert told[1] == "For C most: group 0, −0.500, at the upper left of A."
    assert told[2] == "Nothing speaks for B."
    same = ScoreMargin(margin.first, margin.first)
    assert same.story().sentences[0] == "B is not above C: both score the same."


def test_cells_speak_where_no_group_does(margin):
    maps = margin.second.maps[0].copy()
    maps[0, 1, 1] += 0.5
    maps[0, 0, 0] -= 0.5
    other = ScoreMargin(margin.first, replace(margin.second, maps=(maps, margin.second.maps[1])))
    assert other.story().sentences[2] == (
        "For C: no group as a whole, only single cells, most at the lower right of A "
        "(−0.500 together)."
    )


@pytest.fixture(params=["plain", "graph"])
def model(request, plain, graph_of) -> Model:
    return plain if request.param == "plain" else graph_of(0, 1, 2)


def test_of_a_model_it_adds_up_to_the_scores(model, noise):
    a, b, c = noise(1), noise(2), noise(3)
    margin = explain_why_above(model, a, b, c)
    e = model.embed([a, b, c])
    expected = model.similarity.pairs(e[[0, 0]], e[[1, 2]])
    assert margin.value == pytest.approx(float(expected[0] - expected[1]), abs=1e-6)
    assert margin.gap < 1e-6
    assert sum(group.value for group in margin.groups) == pytest.approx(margin.value, abs=1e-6)
    opposite = explain_why_above(model, a, c, b)
    assert opposite.value == -margin.value
    np.testing.assert_allclose(opposite.over_a, -margin.over_a, atol=1e-7)
    assert [shown.name for shown in margin.second.pictures] == ["picture A", "picture C"]


def test_nodes_are_those_that_parts_names(graph_of, noise):
    model = graph_of(0, 1, 2)
    margin = explain_why_above(model, noise(1), noise(2), noise(3))
    e = model.embed([noise(1), noise(2), noise(3)]).to(torch.float64)
    parts = model.similarity.parts(e[[0, 0]], e[[1, 2]])
    by_node = parts.values[0] - parts.values[1]
    order = by_node.abs().argsort(descending=True)[:5].tolist()
    found = margin.nodes(5)
    assert [f"{node.level}, node {node.node}" for node in found] == [parts.names[i] for i in order]
    assert [node.value for node in found] == pytest.approx(by_node[order].tolist(), abs=1e-6)
    assert sum(values.sum() for values in margin.by_node) == pytest.approx(margin.value, abs=1e-6)


def test_named_nodes_are_named_in_the_margin(graph_of, noise):
    model = graph_of(0, 1)
    names = GroupNames(tuple(f"n{i}" for i in range(12)))
    margin = explain_why_above(model, noise(1), noise(2), noise(3), names=names)
    upper = margin.by_node[1]
    most = int(np.abs(upper).argmax())
    labels = {node.label: node.value for node in margin.nodes(24)}
    assert labels[f"n{most} (level 2, node {most})"] == upper[most]
    assert f"level 1, node {most}" in labels


def test_rows_show_the_three_pictures_and_their_maps(margin):
    pictures, maps = margin.rows()
    assert tuple(tile.number for tile in pictures.tiles) == PARTS
    assert len(maps.tiles) == 3
    red, blue = (np.asarray(maps.tiles[i].picture).astype(int) for i in (1, 2))
    # What is alike in B speaks for B, and what is alike in C for C: red and blue.
    assert (red[..., 0] - red[..., 2]).max() > 60
    assert (blue[..., 2] - blue[..., 0]).max() > 60


def test_names_and_numbers(plain, noise):
    names = GroupNames(("ears", None))
    margin = explain_why_above(plain, noise(1), noise(2), noise(3), names=names)
    assert [group.name for group in margin.groups] == ["ears (group 0)", "group 1"]
    record = json.loads(margin.to_json())
    assert record["margin"] == margin.value
    assert record["groups"][0]["name"] == "ears (group 0)"
    assert np.array(record["over_a"]).sum() == pytest.approx(margin.value, abs=1e-6)
    assert [pair["score"] for pair in record["pairs"]] == [
        explain(plain, noise(1), other).score for other in (noise(2), noise(3))
    ]
