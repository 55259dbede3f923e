"""The queries that go most wrong, with what puts the wrong results above."""

import json

import pytest

from lookalike.errors import UsageError
from lookalike.explanation.account.group_names import GroupNames
from lookalike.explanation.questions import contests, explain_mistake, explain_worst
from lookalike.explanation.questions.worst import SHOWN


@pytest.fixture(params=["plain", "graph"])
def model(request, plain, graph_of):
    return plain if request.param == "plain" else graph_of(0, 1)


def test_they_are_the_worst_queries_each_explained(model, shelf):
    worst = explain_worst(model, shelf, count=3)
    expected = sorted(contests(model, shelf), key=lambda contest: -contest.margin)[:3]
    assert [mistake.contest for mistake in worst.mistakes] == expected
    for mistake in worst.mistakes:
        single = explain_mistake(model, shelf, mistake.contest.query).margin.value
        assert mistake.margin.value == pytest.approx(single, abs=1e-6)
    margins = [contest.margin for contest in expected]
    total = sum(group.value for group in worst.groups)
    assert total == pytest.approx(sum(margins) / len(margins), abs=1e-6)


def test_how_many_go_wrong(plain, shelf):
    worst = explain_worst(plain, shelf, count=2)
    assert (worst.queries, worst.wrong) == (
        9,
        sum(contest.rank > 1 for contest in contests(plain, shelf)),
    )
    share = f"{100 * worst.wrong / 9:.0f} %"
    assert worst.story().sentences[1] == (
        f"{worst.wrong} of 9 queries, {share}, have a wrong result above the best right one; "
        "listed here: 2."
    )


def test_names_are_in_words_pictures_and_numbers(plain, shelf):
    names = GroupNames(("ears", "tail"))
    worst = explain_worst(plain, shelf, count=9, names=names)
    assert {bar.name for bar in worst.story().bars} == {"ears (group 0)", "tail (group 1)"}
    lines = str(worst).splitlines()[-len(worst.mistakes) :]
    assert all("mostly ears (group 0), +" in x or "mostly tail (group 1), +" in x for x in lines)
    rows = worst.rows()
    assert len(rows) == min(SHOWN, len(worst.mistakes))
    assert all("(group " in row.notes[1] for row in rows)
    record = json.loads(worst.to_json())
    assert record["queries"][0]["groups"][0]["name"] == "ears (group 0)"
    first = record["queries"][0]
    assert first["margin"] == pytest.approx(first["wrong_score"] - first["right_score"])


def test_where_none_goes_wrong(plain, shelf, monkeypatch):
    from lookalike.explanation.questions import worst as module

    monkeypatch.setattr(module, "contests", lambda *_, **__: [])
    worst = explain_worst(plain, shelf)
    assert (
        str(worst).splitlines()[1] == "None: no query has a wrong result above the best right one."
    )
    assert worst.plot().texts
    assert "<h1>" in worst.to_html()
    assert json.loads(worst.to_json())["queries"] == []


def test_at_least_one(plain, shelf):
    with pytest.raises(UsageError, match="ask for at least one query"):
        explain_worst(plain, shelf, count=0)
