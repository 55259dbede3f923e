"""The search on scores written down by hand, mask by mask."""

from dataclasses import dataclass

import pytest
import torch

from lookalike.explanation.questions.cell_search import Maskable, search
from lookalike.explanation.questions.goals import OutOfTop, ScoreThreshold
from lookalike.types import Embedding


@dataclass(frozen=True, slots=True, eq=False)
class Scripted(Maskable):
    """A picture of 2 × 2 cells whose score is looked up: by the cells that are hidden."""

    table: dict[frozenset[int], float]
    order: tuple[float, float, float, float]

    def embed(self, hidden):
        return Embedding.of(hidden.flatten(1).float())

    def scores(self, queries):
        cells = [frozenset(row.nonzero()[:, 0].tolist()) for row in queries.flat()]
        return torch.tensor([self.table.get(each, 0.9) for each in cells], dtype=torch.float64)

    def map(self, hidden):
        return torch.tensor(self.order).view(2, 2)


@pytest.fixture
def scripted(plain):
    """A function that makes a scripted picture of a table and an order of the cells."""

    def make(table, order=(4.0, 3.0, 2.0, 1.0)):
        image = torch.zeros(1, 3, 32, 32)
        keyed = {frozenset(map(int, cells)): score for cells, score in table.items()}
        return Scripted(plain, image, image, image, Embedding.of(image.flatten(1)), 2, keyed, order)

    return make


def found(picture, bar, *, tries, budget=0):
    return search(picture, ScoreThreshold(bar, "below"), (2, 2), tries=tries, budget=budget)


def test_the_cell_that_helps_most_is_taken_wherever_it_is_on_the_map(scripted):
    picture = scripted({"": 1.0, "3": 0.2})
    result = found(picture, 0.5, tries=4)
    assert result.hidden.tolist() == [[False, False], [False, True]]
    assert (result.reached, result.tried) == (True, 1 + 4)


def test_only_the_highest_of_the_map_are_tried(scripted):
    table = {"": 1.0, "0": 0.8, "3": 0.2, "01": 0.6, "012": 0.4}
    result = found(scripted(table), 0.5, tries=1)
    assert result.hidden.flatten().tolist() == [True, True, True, False]
    result = found(scripted(table, order=(1.0, 2.0, 3.0, 9.0)), 0.5, tries=1)
    assert result.hidden.flatten().tolist() == [False, False, False, True]


def test_cells_that_are_not_needed_are_shown_again(scripted):
    table = {"": 1.0, "0": 0.6, "01": 0.5, "02": 0.5, "012": 0.1, "12": 0.2}
    result = found(scripted(table), 0.3, tries=4)
    assert result.hidden.flatten().tolist() == [False, True, True, False]
    assert result.tried == 1 + 4 + 3 + 2 + 3 + 2


def test_what_came_nearest_is_returned_where_it_cannot_be_done(scripted):
    table = {"": 1.0, "0": 0.6, "01": 0.4, "012": 0.7, "0123": 0.8}
    result = found(scripted(table), 0.3, tries=4)
    assert not result.reached
    assert result.hidden.flatten().tolist() == [True, True, False, False]


def test_fewer_cells_than_greed_finds(scripted):
    """Greed goes by 0, 01, 012; the pair 23 does it too, and 13 by more."""
    table = {"": 1.0, "0": 0.8, "01": 0.7, "012": 0.1, "23": 0.25, "13": 0.2}
    greedy = found(scripted(table), 0.3, tries=4)
    assert (int(greedy.hidden.sum()), greedy.ruled_out) == (3, 0)
    singles = found(scripted(table), 0.3, tries=4, budget=9)  # 4 singles; 6 pairs are too many
    assert singles.hidden.tolist() == greedy.hidden.tolist()
    assert (singles.tried, singles.ruled_out) == (greedy.tried + 4, 1)
    pairs = found(scripted(table), 0.3, tries=4, budget=10)
    assert pairs.hidden.flatten().tolist() == [False, True, False, True]
    assert (pairs.reached, pairs.tried, pairs.ruled_out) == (True, greedy.tried + 10, 1)


def test_all_fewer_are_ruled_out_where_greed_found_the_fewest(scripted):
    table = {"": 1.0, "0": 0.8, "01": 0.1}
    result = found(scripted(table), 0.3, tries=4, budget=100)
    assert (int(result.hidden.sum()), result.ruled_out) == (2, 1)
    alone = found(scripted({"": 1.0, "2": 0.1}), 0.3, tries=4, budget=100)
    assert (int(alone.hidden.sum()), alone.ruled_out, alone.tried) == (1, 0, 5)


def test_what_greed_does_not_reach_may_be_found_among_all(scripted):
    table = {"": 1.0, "0": 0.6, "01": 0.4, "012": 0.7, "0123": 0.8, "23": 0.2}
    assert not found(scripted(table), 0.3, tries=4).reached
    result = found(scripted(table), 0.3, tries=4, budget=100)
    assert result.reached
    assert result.hidden.flatten().tolist() == [False, False, True, True]
    nowhere = found(scripted({"": 1.0, "0": 0.6}), 0.3, tries=4, budget=100)
    assert (nowhere.reached, nowhere.ruled_out) == (False, 4)


def test_equal_to_the_bar_is_not_below_it(scripted):
    table = {"": 1.0, "0": 0.5, "01": 0.4}
    assert found(scripted(table), 0.5, tries=4).hidden.sum() == 2


def test_the_bar_of_a_list_is_its_kth_best_score(plain, shelf):
    a, b = shelf.path(0), shelf.path(4)
    rows = [1, 2, 3, 5, 6, 7, 8]
    queries = plain.embed([shelf.path(0), shelf.path(3)])
    scores = plain.similarity.matrix(queries, plain.embed([shelf.path(i) for i in rows]))
    for k in (1, 3, 7):
        bar = OutOfTop(k, shelf).threshold(plain, a, b)
        expected = [sorted(row.tolist(), reverse=True)[k - 1] for row in scores]
        assert bar.heights(queries).tolist() == pytest.approx(expected, abs=1e-6)
        assert bar.rank(queries[0], expected[0] + 1e-6) == k
        assert bar.rank(queries[0], expected[0] - 1e-6) == k + 1
