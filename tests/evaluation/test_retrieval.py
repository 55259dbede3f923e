"""Retrieval metrics against hand values and a rewrite in plain Python."""

import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.errors import LookalikeError, UsageError
from lookalike.metrics import retrieval
from lookalike.similarity import Cosine, top_k
from lookalike.types import Embedding


def on_a_circle(*degrees):
    angles = np.deg2rad(np.array(degrees, dtype=np.float64))
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def plain(scores, query_labels, gallery_labels, query_ids, gallery_ids, ks, ignore):
    """The definitions of STANDARDS 2, one query after the other."""
    rows = []
    for q, label in enumerate(query_labels):
        order = sorted(
            (-scores[q][g], gallery_ids[g], gallery_labels[g] == label)
            for g in range(len(gallery_labels))
            if gallery_ids[g] != query_ids[q]
        )
        rel = [hit for _, _, hit in order]
        r = sum(rel)
        if ignore and r == 0:
            continue
        precision = [sum(rel[: i + 1]) / (i + 1) for i in range(len(rel))]
        gained = [p * hit for p, hit in zip(precision, rel, strict=True)]
        row = {"cap": r / (r + 1), "dgml": sum(gained[: r + 1]) / (r + 1)}
        row["map"] = sum(gained[:r]) / r if r else 0
        row["rp"] = sum(rel[:r]) / r if r else 0
        top = [hit for s, _, hit in order if s == order[0][0]]
        row["worst"], row["best"] = (all(top), any(top)) if top else (False, False)
        for k in ks:
            row[f"recall{k}"] = any(rel[:k])
            row[f"ir{k}"] = sum(rel[:k]) / r if r else 0
            row[f"precision{k}"] = sum(rel[:k]) / min(k, len(rel))
            row[f"tie{k}"] = len(order) > k and order[k - 1][0] == order[k][0]
        rows.append(row)
    return {key: np.mean([row[key] for row in rows]) for key in rows[0]} if rows else None


def check(result, expected, ks):
    assert result.map_at_r == pytest.approx(expected["map"])
    assert result.r_precision == pytest.approx(expected["rp"])
    assert result.map_dgml == pytest.approx(expected["dgml"])
    assert result.map_dgml_cap == pytest.approx(expected["cap"])
    for k in ks:
        assert result.recall_at[k] == pytest.approx(expected[f"recall{k}"])
        assert result.ir_recall_at[k] == pytest.approx(expected[f"ir{k}"])
        assert result.precision_at[k] == pytest.approx(expected[f"precision{k}"])


# The norm is 2: unit vectors and their products are exact, and many of them tie.
corner = st.tuples(*[st.sampled_from([-1, 1])] * 4)


@settings(deadline=None, max_examples=100)
@given(st.data(), st.integers(2, 30), st.booleans())
def test_mode_a_equals_the_definitions(data, n, ignore):
    corners = data.draw(st.lists(corner, min_size=n, max_size=n))
    labels = data.draw(st.lists(st.integers(0, 6), min_size=n, max_size=n))
    ids = data.draw(st.permutations(range(n)))
    ks = (1, 2, n - 1)
    scores = np.array(corners) @ np.array(corners).T  # of the same order as cosines, ties included
    expected = plain(scores.tolist(), labels, labels, ids, ids, ks, ignore)
    policy = "ignore" if ignore else "miss"
    arguments = {"ks": ks, "query_ids": ids, "without_positives": policy}
    vectors = torch.tensor(corners, dtype=torch.float32)
    if expected is None:
        with pytest.raises(UsageError, match="no query has a positive"):
            retrieval(vectors, labels, **arguments)
        return
    result = retrieval(vectors, labels, **arguments)
    check(result, expected, ks)
    assert result.without_positives == sum(labels.count(label) == 1 for label in labels)
    if not ignore:
        assert [result.tie_share[k] for k in ks] == pytest.approx([expected[f"tie{k}"] for k in ks])
        worst, best = result.recall_at_1_bounds
        assert worst <= expected["worst"] + 1e-9
        assert best >= expected["best"] - 1e-9
        assert worst - 1e-9 <= result.recall_at[1] <= best + 1e-9
        # With everybody in the lists the bounds are the exact ones.
        assert (worst, best) == pytest.approx((expected["worst"], expected["best"]))


@settings(deadline=None, max_examples=100)
@given(st.data(), st.integers(1, 12), st.integers(1, 20))
def test_mode_b_equals_the_definitions(data, n, m):
    corners = data.draw(st.lists(corner, min_size=n + m, max_size=n + m))
    labels = data.draw(st.lists(st.integers(0, 4), min_size=n + m, max_size=n + m))
    vectors = torch.tensor(corners, dtype=torch.float32)
    scores = (vectors[:n] @ vectors[n:].T).tolist()
    ks = (1, m)
    nobody = [-1] * n
    expected = plain(scores, labels[:n], labels[n:], nobody, list(range(m)), ks, False)
    result = retrieval(vectors[:n], labels[:n], vectors[n:], labels[n:], ks=ks)
    check(result, expected, ks)
    assert (result.mode, result.queries, result.gallery) == ("B", n, m)


def test_mode_b_with_ids_is_mode_a():
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(90, 8, generator=generator)
    y = torch.randint(0, 12, (90,), generator=generator)
    ids = torch.randperm(1000, generator=generator)[:90]
    a = retrieval(x, y, query_ids=ids)
    b = retrieval(x, y, x.clone(), y, query_ids=ids, gallery_ids=ids)
    assert (a.mode, b.mode) == ("A", "B")
    for name in ("recall_at", "precision_at", "ir_recall_at", "map_at_r", "map_dgml", "tie_share"):
        assert getattr(a, name) == getattr(b, name), name


@pytest.mark.parametrize("places", [7, 60])
def test_memory_limits_do_not_matter(monkeypatch, places):
    generator = torch.Generator().manual_seed(0)
    x = torch.randint(-1, 2, (80, 4), generator=generator).float()
    y = torch.randint(0, 9, (80,), generator=generator)
    whole = retrieval(x, y)
    module = sys.modules["lookalike.evaluation.retrieval"]
    searched = []

    def search(*arguments, **options):
        searched.append(len(arguments[1]))
        return top_k(*arguments, **options)

    monkeypatch.setattr(module, "top_k", search)
    monkeypatch.setattr(module, "HELD", 10 * places)
    monkeypatch.setattr(module, "SCORED", places)
    pieces = retrieval(x, y)
    assert sum(searched) == 80
    assert len(searched) > 1
    assert whole.recall_at == pieces.recall_at
    assert (whole.map_at_r, whole.tie_share) == (pieces.map_at_r, pieces.tie_share)
    assert np.array_equal(whole.per_query.first_hit, pieces.per_query.first_hit)


def test_hand_example_of_map_at_r():
    """R = 3 and the ranking right, wrong, right: (1 + 0 + 2/3) / 3."""
    query = on_a_circle(0)
    gallery = on_a_circle(10, 20, 30, 40)
    result = retrieval(query, [1], gallery, [1, 0, 1, 1], ks=(1, 2))
    assert result.map_at_r == pytest.approx(5 / 9)
    assert result.r_precision == pytest.approx(2 / 3)
    assert result.precision_at == {1: 1.0, 2: 0.5}
    assert result.recall_at == {1: 1.0, 2: 1.0}
    assert result.ir_recall_at[1] == pytest.approx(1 / 3)
    assert result.map_dgml == pytest.approx((1 + 2 / 3 + 3 / 4) / 4)
    assert result.map_dgml_cap == 0.75
    assert result.per_query.first_hit.tolist() == [1]


def test_a_collapsed_model_is_not_perfect():
    """Three classes of two, all vectors equal: the id decides, and the bounds say so."""
    result = retrieval(torch.ones(6, 4), [0, 0, 1, 1, 2, 2])
    assert result.recall_at[1] == pytest.approx(1 / 3)
    assert result.recall_at_1_bounds == (0.0, 1.0)
    assert result.tie_share == {1: 1.0, 2: 1.0, 4: 1.0, 8: 0.0}


def test_bounds_of_a_tie_that_leaves_the_list():
    result = retrieval(torch.ones(40, 4), np.repeat(np.arange(20), 2), ks=(1,))
    assert result.recall_at_1_bounds == (0.0, 1.0)
    assert result.recall_at[1] == pytest.approx(1 / 20)


@pytest.mark.parametrize(("size", "cap"), [(2, 1 / 2), (3, 2 / 3), (60, 59 / 60)])
def test_a_perfect_ranking(size, cap):
    """MAP@R is 1; what papers call mAP stops at its cap."""
    x = torch.eye(4).repeat_interleave(size, dim=0)
    result = retrieval(x, np.repeat(np.arange(4), size))
    assert result.map_at_r == result.r_precision == result.recall_at[1] == 1
    assert result.map_dgml == pytest.approx(cap)
    assert result.map_dgml_cap == pytest.approx(cap)


def test_queries_without_positives():
    x, y = on_a_circle(0, 10, 50, 90), [0, 0, 1, 2]
    missed = retrieval(x, y)
    assert missed.without_positives == 2
    assert missed.recall_at[1] == missed.map_at_r == 0.5
    ignored = retrieval(x, y, without_positives="ignore")
    assert ignored.without_positives == 2
    assert ignored.recall_at[1] == ignored.map_at_r == 1.0
    assert len(ignored.per_query) == 4


def test_k_above_the_candidates_is_all_of_them():
    result = retrieval(on_a_circle(0, 90, 10), [0, 0, 1], ks=(1, 100))
    assert result.recall_at == {1: 0, 100: pytest.approx(2 / 3)}
    assert result.precision_at[100] == pytest.approx((1 / 2 + 1 / 2 + 0) / 3)


def test_an_empty_place_is_no_hit():
    """One query is in the gallery and has a candidate less; the last row is of its class."""
    gallery = on_a_circle(0, 30)
    result = retrieval(
        on_a_circle(0, 0), [5, 5], gallery, [5, 5], ks=(2,), query_ids=[0, 9], gallery_ids=[0, 1]
    )
    assert result.per_query.positives.tolist() == [1, 2]
    assert result.per_query.values["precision_at_2"].tolist() == [1 / 2, 2 / 2]
    assert result.per_query.values["ir_recall_at_2"].tolist() == [1, 1]
    assert result.precision_at[2] == (1 / 2 + 2 / 2) / 2


def test_duplicates_are_not_the_query_itself():
    """The copy of a query comes first whichever row it stands in; the query never does."""
    x = on_a_circle(0, 0, 90)
    result = retrieval(x, [0, 1, 0], ks=(1, 2))
    assert result.per_query.first_hit.tolist() == [2, 0, 1]


def test_large_labels_stay_apart():
    big = 2**24
    result = retrieval(on_a_circle(0, 1, 50), np.array([big, big + 1, big]), ks=(1,))
    assert result.per_query.positives.tolist() == [1, 0, 1]
    assert result.recall_at[1] == 0


def test_vectors_of_other_lengths_are_normalised_and_noted():
    x = on_a_circle(0, 5, 80, 90)
    scaled = x * np.array([[1], [100], [1], [0.01]])
    assert retrieval(x, [0, 0, 1, 1]).notes == ()
    result = retrieval(scaled, [0, 0, 1, 1])
    assert result.recall_at[1] == 1
    assert result.notes == ("query vectors had L2 norms 0.01 to 100: they were normalised",)


def test_zero_vectors_are_noted():
    result = retrieval(np.concatenate([on_a_circle(0, 5), np.zeros((1, 2))]), [0, 0, 0])
    assert result.notes == ("1 query vectors are zero: their cosine with everything is 0",)


def test_a_similarity_decides():
    """Group 1 alone is right; its weight says how much that counts."""
    vectors = torch.tensor([[[1.0, 0], [1, 0]], [[0.0, 1], [1, 0]], [[1.0, 0], [0, 1]]])
    for weights, hit in (((0.9, 0.1), 0), ((0.1, 0.9), 1)):
        similarity = Cosine(weights=weights).build(2)
        result = retrieval(Embedding.of(vectors), [0, 0, 1], similarity=similarity)
        assert result.per_query.first_hit[0] == 2 - hit


def test_kinds_of_vectors_agree():
    x = on_a_circle(0, 3, 50, 57, 110)
    y = [0, 1, 0, 1, 0]
    kinds = [x, torch.from_numpy(x), x.astype(np.float16), Embedding.of(torch.from_numpy(x))]
    assert len({retrieval(kind, y).map_at_r for kind in kinds}) == 1


X = torch.eye(3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((X, np.array([0.0, 1.0, 2.0])), "query_labels must be integers, got float64"),
        ((X, np.array([True, False, True])), "must be integers"),
        ((X, [0, 1]), "query_labels must be 3"),
        ((X, [0, 1, 2], X), "gallery needs its labels"),
        ((X, [0, 1, 2], None, [0, 1, 2]), "pass one"),
        ((X, [0, 1, 2], X, [0, 1]), "gallery_labels must be 3"),
        ((X[:0], torch.zeros(0, dtype=torch.int64)), "query is empty"),
        ((X, [0, 1, 2], X[:0], torch.zeros(0, dtype=torch.int64)), "gallery is empty"),
        ((X[0], [0, 1, 2]), "must be vectors in rows"),
        ((X, [0, 1, 2], torch.eye(4)[:3], [0, 1, 2]), "embed both with the same model"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, message):
    with pytest.raises(UsageError, match=message):
        retrieval(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ks": ()}, "at least 1"),
        ({"ks": (0, 1)}, "at least 1"),
        ({"gallery_ids": [1, 2, 3]}, "pass one"),
        ({"query_ids": [1, 1, 2]}, "occurs twice"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, message):
    with pytest.raises(UsageError, match=message):
        retrieval(X, [0, 0, 1], **options)


def test_ids_to_leave_out_need_a_gallery_with_ids():
    with pytest.raises(UsageError, match="pass gallery_ids"):
        retrieval(X, [0, 1, 2], X, [0, 1, 2], query_ids=[0, 1, 2])


def test_not_a_number_is_an_error():
    with pytest.raises(LookalikeError, match="not finite"):
        retrieval(torch.tensor([[1.0, 0.0], [np.nan, 1.0]]), [0, 0])
