"""A wrong match against the right one, chosen as somebody would by hand."""

import json

import pytest

from lookalike.errors import UsageError
from lookalike.explanation.questions import explain_mistake, explain_worst
from lookalike.explanation.questions.contests import contests


def test_the_worst_come_first_and_only_those_that_go_wrong(plain, shelf):
    every = contests(plain, shelf)
    wrong = sorted((c for c in every if c.rank > 1), key=lambda c: -c.margin)
    assert len(wrong) > 2
    assert asked_worst(plain, shelf, 9) == wrong
    assert asked_worst(plain, shelf, 2) == wrong[:2]


def asked_worst(model, catalog, count):
    return [mistake.contest for mistake in explain_worst(model, catalog, count=count).mistakes]


def test_the_worst_is_explained_where_none_is_named(plain, shelf):
    worst = asked_worst(plain, shelf, 1)[0]
    mistake = explain_mistake(plain, shelf)
    assert mistake.contest == worst
    assert mistake.wrong
    assert mistake.margin.value == pytest.approx(worst.margin, abs=1e-6)
    names = [shown.name for shown in mistake.margin.first.pictures]
    assert names == [str(shelf.path(worst.query)), str(shelf.path(worst.wrong))]
    assert mistake.margin.second.pictures[1].name == str(shelf.path(worst.right))
    right, wrong = (shelf.class_name(i) for i in (worst.query, worst.wrong))
    told = mistake.story()
    assert told.question == f"Why is {wrong} above {right} for a picture of {right}?"
    assert told.sentences[0].endswith(f"the right result has rank {worst.rank}.")
    files = (shelf.paths[i] for i in (worst.query, worst.wrong, worst.right))
    assert told.notes[0] == "A is {}, B {}, C {}.".format(*files)
    record = json.loads(mistake.to_json())
    assert record["classes"] == {"right": right, "wrong": wrong}
    assert record["rank_of_right"] == worst.rank


def test_a_query_that_goes_right_says_so(plain, shelf):
    right = next((c for c in contests(plain, shelf) if c.rank == 1), None)
    assert right is not None
    mistake = explain_mistake(plain, shelf, right.query)
    assert not mistake.wrong
    assert "It does not: the right result is above by" in mistake.story().sentences[0]
    words = [tile.words for tile in mistake.rows()[0].tiles]
    label = shelf.class_name(right.query)
    assert words[0] == label
    assert words[2] == f"{label} (right)"


@pytest.mark.parametrize(
    ("query", "says"),
    [(-1, "has rows 0 to 8"), (9, "has rows 0 to 8"), ("gone.png", "gone.png: not a picture of")],
)
def test_queries_are_pictures_of_the_catalog(query, says, plain, shelf):
    with pytest.raises(UsageError, match=says):
        explain_mistake(plain, shelf, query)


def test_a_query_is_a_row_or_a_file(plain, shelf):
    by_row, by_file = (explain_mistake(plain, shelf, query) for query in (3, shelf.path(3)))
    assert by_row.contest.query == 3
    assert by_file.contest == by_row.contest
