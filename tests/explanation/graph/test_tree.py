from itertools import pairwise

import numpy as np
import pytest

from lookalike.explanation.account.nodes import Nodes
from lookalike.explanation.graph.tree import Branch, grow, reach


def level(difference, reliability, edges=None):
    count = len(difference)
    return Nodes(
        name="a level",
        difference=np.array(difference, dtype=float),
        reliability=np.array(reliability, dtype=float),
        weight=np.ones(count),
        rectified=np.ones(count),
        responses=(np.zeros((count, 1, 1), np.float32),) * 2,
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
