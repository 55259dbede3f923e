"""The best right and the best wrong result of each query, found as somebody would by hand."""

import shutil
from dataclasses import replace

import pytest

from lookalike.data import Catalog
from lookalike.errors import UsageError
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
