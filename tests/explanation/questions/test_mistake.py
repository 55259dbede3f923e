"""A wrong match against the right one, chosen as somebody would by hand."""

import json
import shutil
from dataclasses import replace

import pytest

from lookalike.data import Catalog
from lookalike.errors import UsageError
from lookalike.explanation.questions import explain_mistake, explain_worst
from lookalike.explanation.questions.contests import contests


def by_hand(model, catalog, query, gallery):
    """Return the best right and wrong result and the rank of the right one, one by one."""
    e = model.embed_catalog(catalog).embedding
    scores = model.similarity.matrix(e[query], e)[0].tolist()
    others = [i for i in gallery if catalog.paths[i] != catalog.paths[query]]
    order = sorted(others, key=lambda i: (-scores[i], i))
    same = [i for i in order if catalog.labels[i] == catalog.labels[query]]
    other = [i for i in order if catalog.labels[i] != catalog.labels[query]]
    return same[0], other[0], order.index(same[0]) + 1


@pytest.fixture(params=["plain", "graph"])
def model(request, plain, graph_of):
    return plain if request.param == "plain" else graph_of(0, 1)


def test_contests_are_those_found_by_hand(model, shelf):
    found = contests(model, shelf)
    assert [contest.query for contest in found] == list(range(9))
    for contest in found:
        expected = by_hand(model, shelf, contest.query, range(9))
        assert (contest.right, contest.wrong, contest.rank) == expected
        assert (contest.margin > 0) == (contest.rank > 1)


def test_queries_are_searched_for_in_the_gallery_only(plain, shelf):
    roles = ("query", "gallery", "gallery") * 3
    found = contests(plain, replace(shelf, roles=roles))
    gallery = [i for i, role in enumerate(roles) if role == "gallery"]
    assert [contest.query for contest in found] == [0, 3, 6]
    for contest in found:
        expected = by_hand(plain, shelf, contest.query, gallery)
        assert (contest.right, contest.wrong, contest.rank) == expected


def test_a_file_that_is_both_does_not_find_itself(plain, shelf):
    both = replace(shelf.subset([0, 1, 2, 3, 4, 0]), roles=("gallery",) * 5 + ("query",))
    (contest,) = contests(plain, both)
    assert contest.query == 5
    assert contest.right in (1, 2)


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


@pytest.mark.parametrize("rows", [[0, 1, 2], [0, 3, 6]])
def test_it_takes_two_of_a_class_and_two_classes(rows, plain, shelf):
    with pytest.raises(UsageError, match="give a catalog with labels"):
        contests(plain, shelf.subset(rows))


def test_equal_scores_rank_by_row(plain, shelf, tmp_path):
    for label in "ab":
        (tmp_path / label).mkdir()
        shutil.copy(shelf.path(5), tmp_path / label / "copy.png")
    shutil.copy(shelf.path(0), tmp_path / "a" / "query.png")
    pictures = Catalog.from_folder(tmp_path)
    assert pictures.paths == ("a/copy.png", "a/query.png", "b/copy.png")
    first = contests(plain, pictures)[1]
    assert (first.query, first.right, first.wrong) == (1, 0, 2)
    assert (first.rank, first.margin) == (1, 0)
    last = contests(plain, pictures.subset([2, 1, 0]))[0]
    assert (last.query, last.right, last.wrong) == (1, 2, 0)
    assert (last.rank, last.margin) == (2, 0)
