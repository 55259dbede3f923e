"""The search on scores written down by hand, mask by mask."""

import torch

from lookalike.explanation.questions.cell_search import search


def found(table, bar, *, tries, budget=0, order=(4.0, 3.0, 2.0, 1.0)):
    """Search 2 × 2 cells whose score is looked up by the cells that are hidden; 0.9 if not there.

    Args:
        table: Scores by the numbers of the hidden cells, as "03".
        bar: What the score must fall below.
        order: The map: what is tried first.
    """
    scores = {frozenset(map(int, cells)): score for cells, score in table.items()}

    def excess(masks):
        cells = [frozenset(row.nonzero()[:, 0].tolist()) for row in masks.flatten(1)]
        return torch.tensor([scores.get(each, 0.9) - bar for each in cells])

    map_of = torch.tensor(order).view(2, 2)
    return search(excess, lambda hidden: map_of, (2, 2), tries=tries, budget=budget, batch_size=2)


def test_the_cell_that_helps_most_is_taken_wherever_it_is_on_the_map():
    result = found({"": 1.0, "3": 0.2}, 0.5, tries=4)
    assert result.hidden.tolist() == [[False, False], [False, True]]
    assert (result.reached, result.tried) == (True, 1 + 4)


def test_only_the_highest_of_the_map_are_tried():
    table = {"": 1.0, "0": 0.8, "3": 0.2, "01": 0.6, "012": 0.4}
    result = found(table, 0.5, tries=1)
    assert result.hidden.flatten().tolist() == [True, True, True, False]
    result = found(table, 0.5, tries=1, order=(1.0, 2.0, 3.0, 9.0))
    assert result.hidden.flatten().tolist() == [False, False, False, True]


def test_cells_that_are_not_needed_are_shown_again():
    table = {"": 1.0, "0": 0.6, "01": 0.5, "02": 0.5, "012": 0.1, "12": 0.2}
    result = found(table, 0.3, tries=4)
    assert result.hidden.flatten().tolist() == [False, True, True, False]
    assert result.tried == 1 + 4 + 3 + 2 + 3 + 2


def test_what_came_nearest_is_returned_where_it_cannot_be_done():
    table = {"": 1.0, "0": 0.6, "01": 0.4, "012": 0.7, "0123": 0.8}
    result = found(table, 0.3, tries=4)
    assert not result.reached
    assert result.hidden.flatten().tolist() == [True, True, False, False]


def test_fewer_cells_than_greed_finds():
    """Greed goes by 0, 01, 012; the pair 23 does it too, and 13 by more."""
    table = {"": 1.0, "0": 0.8, "01": 0.7, "012": 0.1, "23": 0.25, "13": 0.2}
    greedy = found(table, 0.3, tries=4)
    assert (int(greedy.hidden.sum()), greedy.ruled_out) == (3, 0)
    singles = found(table, 0.3, tries=4, budget=9)  # 4 singles; 6 pairs are too many
    assert singles.hidden.tolist() == greedy.hidden.tolist()
    assert (singles.tried, singles.ruled_out) == (greedy.tried + 4, 1)
    pairs = found(table, 0.3, tries=4, budget=10)
    assert pairs.hidden.flatten().tolist() == [False, True, False, True]
    assert (pairs.reached, pairs.tried, pairs.ruled_out) == (True, greedy.tried + 10, 1)


def test_all_fewer_are_ruled_out_where_greed_found_the_fewest():
    table = {"": 1.0, "0": 0.8, "01": 0.1}
    result = found(table, 0.3, tries=4, budget=100)
    assert (int(result.hidden.sum()), result.ruled_out) == (2, 1)
    alone = found({"": 1.0, "2": 0.1}, 0.3, tries=4, budget=100)
    assert (int(alone.hidden.sum()), alone.ruled_out, alone.tried) == (1, 0, 5)


def test_what_greed_does_not_reach_may_be_found_among_all():
    table = {"": 1.0, "0": 0.6, "01": 0.4, "012": 0.7, "0123": 0.8, "23": 0.2}
    assert not found(table, 0.3, tries=4).reached
    result = found(table, 0.3, tries=4, budget=100)
    assert result.reached
    assert result.hidden.flatten().tolist() == [False, False, True, True]
    nowhere = found({"": 1.0, "0": 0.6}, 0.3, tries=4, budget=100)
    assert (nowhere.reached, nowhere.ruled_out) == (False, 4)


def test_equal_to_the_bar_is_not_below_it():
    table = {"": 1.0, "0": 0.5, "01": 0.4}
    assert found(table, 0.5, tries=4).hidden.sum() == 2
