from itertools import pairwise

import numpy as np
import pytest

from lookalike.explanation.account.nodes import Nodes
from lookalike.explanation.graph.node_choice import (
    Branch,
    grow,
    least_reliable,
    most_reliable,
    reach,
    similar_and_dissimilar,
)


def level(difference, reliability=None, edges=None):
    """The nodes of a level of which only what is given matters."""
    difference = np.array(difference, dtype=float)
    ones = np.ones_like(difference)
    return Nodes(
        name="a level",
        difference=difference,
        reliability=ones if reliability is None else np.array(reliability, dtype=float),
        weight=ones,
        rectified=difference,
        responses=(np.zeros((len(ones), 1, 1), np.float32),) * 2,
        edges=None if edges is None else np.array(edges, dtype=np.float32),
    )


LOW = level([0.5, 0.4, 0.3], [1, 1, 1])
MIDDLE = level(
    [0.5, 0.4, 0.3], [0.6, 0.4, 0.2], [[0.5, 0.25, 0.25], [0.125, 0.875, 0], [0, 0, 1.0]]
)
HIGH = level(
    [0.1, 0.4, 0.0, 0.2], [0.9, 0.3, 0.7, 0.1], [[1, 0, 0], [0.25, 0.75, 0], [0, 1, 0], [0, 0, 1]]
)


def test_a_tree_opens_the_least_reliable_node_of_each_row():
    assert grow([(LOW, MIDDLE, HIGH)], ends=1, breadth=2) == [
        Branch(2, (2, 1), (), 1),  # δ = 0 and δ = 0.4; p = 0.3 is below 0.7
        Branch(1, (1, 0), (0.75, 0.25), 1),
        Branch(0, (1, 0), (0.875, 0.125), None),
    ]


def test_edges_are_those_of_the_graph():
    rows = grow([(LOW, MIDDLE, HIGH)])
    for above, below in pairwise(rows):
        edges = (LOW, MIDDLE, HIGH)[above.level].edges
        assert below.weights == tuple(edges[above.opened][node] for node in below.nodes)
        assert set(below.nodes) == set(np.flatnonzero(edges[above.opened]))
    assert [row.level for row in rows] == [2, 1, 0]


def test_a_tree_ends_where_nothing_is_linked():
    lonely = level([0.1, 0.2], [0.5, 0.5], np.zeros((2, 3)))
    assert grow([(LOW, lonely)]) == [Branch(1, (0, 1))]
    assert grow([(LOW,)], ends=1) == [Branch(0, (2, 0))]


def test_a_triplet_shares_one_tree():
    other = level([0.9, 0.0, 0.0, 0.1], [0.9, 0.9, 0.7, 0.1], HIGH.edges)
    rows = grow([(LOW, MIDDLE, HIGH), (LOW, MIDDLE, other)], ends=1)
    assert rows[0] == Branch(2, (2, 0), (), 2)  # alike in the first pair, apart in the second


@pytest.mark.parametrize(
    ("start", "breadth", "met"),
    [
        ([0], 3, [[0, 1, 2], [0], [0]]),
        ([1], 1, [[1], [1], [1]]),
        ([1, 3], 2, [[0, 1, 2], [0, 1, 2], [1, 3]]),
    ],
)
def test_what_is_reached_is_closed_under_neighbours(start, breadth, met):
    assert reach((LOW, MIDDLE, HIGH), start, breadth=breadth) == met


def test_the_most_similar_have_the_smallest_difference():
    pair = [level([0.3, 0.1, 0.4, 0.0, 0.2])]
    assert similar_and_dissimilar(pair, 2) == ([3, 1], [2, 0])


def test_equal_differences_are_ranked_by_number():
    assert similar_and_dissimilar([level([0.1, 0.1, 0.1, 0.1])], 2) == ([0, 1], [2, 3])


def test_no_node_is_in_both_lists():
    assert similar_and_dissimilar([level([0.3, 0.1, 0.2])], 2) == ([1, 2], [0])
    assert similar_and_dissimilar([level([0.3])], 2) == ([0], [])


def test_only_the_most_reliable_are_ranked():
    pair = [level([0.0, 0.1, 0.2, 0.3, 0.4], [0.1, 0.9, 0.8, 0.7, 0.2])]
    assert similar_and_dissimilar(pair, 1, among=3) == ([1], [3])
    assert most_reliable(pair, 3) == {1, 2, 3}
    assert most_reliable(pair) == most_reliable(pair, 9) == {0, 1, 2, 3, 4}


def test_nodes_as_reliable_as_the_last_are_not_cut_off():
    assert most_reliable([level([0.0] * 4, [0.5, 0.7, 0.5, 0.4])], 2) == {0, 1, 2}
    assert most_reliable([level([0.0] * 4)], 2) == {0, 1, 2, 3}  # the lowest level


def test_a_triplet_is_alike_in_the_first_pair_and_apart_in_the_second():
    first = level([0.0, 0.1, 0.2, 0.9], [0.9, 0.9, 0.2, 0.9])
    second = level([0.8, 0.1, 0.9, 0.0], [0.9, 0.5, 0.6, 0.9])
    assert similar_and_dissimilar([first, second], 1) == ([0], [2])
    assert similar_and_dissimilar([first, second], 1, among=3) == (
        [0],
        [1],
    )  # the third has p = 0.4


def test_what_has_no_links_is_not_opened():
    pair = [level([0.0] * 3, [0.3, 0.1, 0.2], edges=[[1.0], [0.0], [1.0]])]
    assert least_reliable(pair, [0, 1, 2]) == 2
    assert least_reliable(pair, [1]) is None
