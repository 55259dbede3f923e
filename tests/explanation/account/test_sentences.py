"""Plain sentences: which group, where, and what spoke against it."""

from dataclasses import replace

import numpy as np
import pytest

from lookalike.explanation import Contribution, explain
from lookalike.explanation.account.sentences import at, place, sentences, strongest


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ((0, 0), "the upper left"),
        ((0, 2), "the top"),
        ((0, 5), "the upper right"),
        ((3, 0), "the left"),
        ((2, 3), "the centre"),
        ((3, 5), "the right"),
        ((5, 1), "the lower left"),
        ((4, 2), "the bottom"),
        ((5, 5), "the lower right"),
    ],
)
def test_a_peak_is_named_by_its_ninth(cell, name):
    values = np.zeros((6, 6))
    values[cell] = 2.0
    values[(5 - cell[0], 5 - cell[1])] -= 9.0  # what speaks against names no place
    assert place(values) == name


@pytest.mark.parametrize(
    "values", [np.ones((6, 6)), np.zeros((4, 4)), -np.ones((3, 3)), np.ones((1, 1))]
)
def test_a_map_without_one_place_is_all_over(values):
    assert place(values) is None
    assert at(values, "B") == "all over B"


def test_a_ninth_has_to_stand_out():
    even = np.ones((3, 3))
    even[1, 1] = 2.2  # 2.2 of 10.2 is less than twice a ninth
    assert place(even) is None
    even[1, 1] = 2.4  # 2.4 of 10.4 is more
    assert place(even) == "the centre"


def test_cells_larger_than_a_ninth():
    assert place(np.array([[1.0, 0.0]])) == "the left"
    assert place(np.array([[0.0], [3.0]])) == "the bottom"
    assert place(np.array([[0.0, 0.0], [0.0, 1.0]])) == "the lower right"


def test_the_strongest_of_a_sign():
    groups = (Contribution("x", 0.2), Contribution("y", -0.3), Contribution("z", 0.4))
    assert strongest(groups, sign=1) == 2
    assert strongest(groups, sign=-1) == 1
    assert strongest(groups[::2], sign=-1) is None


def test_groups_of_one_sign_have_shares(why):
    groups = (Contribution("head", 0.75), Contribution("group 1", 0.25))
    maps = (np.abs(why.maps[0]), np.abs(why.maps[1]))
    told = sentences(replace(why, groups=groups, maps=maps), letters="AC")
    assert told == (
        "Carried most by head, 75 % of it, at the upper left of A and all over C.",
        "Nothing speaks against it.",
    )


def test_where_no_group_speaks_against_cells_may(why):
    groups = (Contribution("group 0", 0.75), Contribution("group 1", 0.25))
    a = np.zeros((2, 3, 3))
    a[0, 0, 0], a[1, 2, 2] = 1.5, -0.5
    told = sentences(replace(why, groups=groups, maps=(a, why.maps[1])))
    assert told[1] == (
        "Against it: no group as a whole, only single cells, most at the lower right of A "
        "(−0.500 together)."
    )


def test_a_group_that_is_alone_is_not_named(why):
    a, b = why.maps
    alone = replace(why, groups=(Contribution("group 0", 1.25),), maps=(a[:1], b[:1]))
    assert sentences(alone)[0] == "Carried most at the upper left of A and all over B."


def test_nothing_may_speak_for_a_score(why):
    a, b = why.maps
    groups = (Contribution("group 0", -1.0), Contribution("group 1", -3.0))
    told = sentences(replace(why, groups=groups, maps=(-a, -b)))
    assert told[0] == "Nothing speaks for it."
    assert told[1].startswith("Against it most: group 1, 75 % of it, ")


def test_a_graph_is_told_by_what_sets_apart(graph_of, noise):
    why = explain(graph_of(0, 1), noise(0), noise(1))
    values = [group.value for group in why.groups]
    most = 1 + values.index(min(values))
    share = f"{100 * min(values) / sum(values):.0f} %"
    assert why.sentences[0].startswith(f"Set apart most by level {most}, {share} of it, ")
    assert why.sentences[1].startswith(f"Set apart least by level {3 - most}, ")
    assert explain(graph_of(0, 1), noise(0), noise(0)).sentences == ("Nothing sets them apart.",)


def test_pages_and_numbers_have_the_sentences(why):
    for text in (why.to_html(), why.to_json()):
        assert "Carried most by group 0, +1.250, at the upper left of A" in text
    figure = why.plot()
    assert any("Carried most by group 0" in text.get_text() for text in figure.texts)
