"""What a pair has beyond the background: a mean over explanations, taken away exactly."""

import json

import numpy as np
import pytest

from lookalike.errors import UsageError
from lookalike.explanation import explain
from lookalike.explanation.questions import explain_background


@pytest.fixture(params=["plain", "graph"])
def model(request, plain, graph_of):
    return plain if request.param == "plain" else graph_of(0, 1)


def test_the_mean_of_all_other_classes_is_taken_away(model, shelf):
    a, b = shelf.path(0), shelf.path(1)  # both of class a: rows 3 to 8 are the background
    beyond = explain_background(model, a, b, shelf, count=6)
    why = explain(model, a, b)
    usual = [explain(model, a, shelf.path(i)) for i in range(3, 9)]
    score = np.mean([each.score for each in usual])
    assert beyond.background.score == pytest.approx(score, abs=1e-6)
    assert beyond.value == pytest.approx(why.score - score, abs=1e-6)
    for place, group in enumerate(beyond.groups):
        mean = np.mean([each.groups[place].value for each in usual])
        assert group.value == pytest.approx(why.groups[place].value - mean, abs=1e-6)
    mean = sum(each.maps[0] for each in usual) / 6
    np.testing.assert_allclose(beyond.over_a, why.maps[0] - mean, atol=1e-6)
    assert beyond.gap < 1e-6


def test_the_map_over_a_adds_up_alone_unless_the_score_is_a_difference(plain, graph_of, shelf):
    a, b = shelf.path(0), shelf.path(1)
    product = explain_background(plain, a, b, shelf, count=4)
    assert product.over_a.sum() == pytest.approx(product.value, abs=1e-6)
    difference = explain_background(graph_of(0, 1), a, b, shelf, count=4)
    others = difference.why.maps[1].sum() - difference.background.over_others
    assert difference.over_a.sum() + others == pytest.approx(difference.value, abs=1e-6)
    assert "from the cells of B, less those of the other pictures" in str(difference)


def test_neither_the_pair_nor_its_classes_are_drawn(plain, shelf):
    a, b = shelf.path(0), shelf.path(4)
    found = explain_background(plain, a, b, shelf, count=3).background.scores
    allowed = [explain(plain, a, shelf.path(i)).score for i in (6, 7, 8)]
    np.testing.assert_allclose(sorted(found), sorted(allowed), atol=1e-6)


def test_a_draw_has_a_seed(plain, shelf, noise):
    pair = (noise(1), noise(2))
    one, same, other = (
        explain_background(plain, *pair, shelf, count=4, seed=seed).background.scores
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert set(one) != set(other)


def test_told(plain, shelf):
    beyond = explain_background(plain, shelf.path(0), shelf.path(1), shelf, count=6)
    told = beyond.story()
    above = np.mean(beyond.background.scores < beyond.why.score)
    assert f"B is above {100 * above:.0f} % of 6 such pictures" in told.sentences[2]
    more = "higher" if beyond.value >= 0 else "lower"
    begins = f"B scores {abs(beyond.value):.3f} {more} than an average picture, mostly "
    assert told.sentences[0].startswith(begins)
    (row,) = beyond.rows()
    assert [tile.words for tile in row.tiles][2:] == [
        "A with B",
        "A with any picture",
        "what is left for B",
    ]
    record = json.loads(beyond.to_json())
    assert record["beyond"] == beyond.value
    assert len(record["background"]["scores"]) == 6


def test_a_seed_below_zero(plain, shelf):
    with pytest.raises(UsageError, match="seed = -1: choose 0 or more"):
        explain_background(plain, shelf.path(0), shelf.path(1), shelf, seed=-1)


@pytest.mark.parametrize("count", [0, 7])
def test_count_is_within_the_catalog(count, plain, shelf):
    with pytest.raises(UsageError, match="has 6 pictures of other classes than A and B"):
        explain_background(plain, shelf.path(0), shelf.path(1), shelf, count=count)
