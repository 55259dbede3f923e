"""What would change it: found greedily, needed cell by cell, and checked on the final picture."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch

from lookalike.calibration import Calibration
from lookalike.data import read_for, to_inputs
from lookalike.errors import UsageError
from lookalike.explanation import explain
from lookalike.explanation.interventions.masking import Masking, fill_in
from lookalike.explanation.questions import Below, OutOfTop, explain_change
from lookalike.model import evaluating


def pixels(model, picture):
    return to_inputs([read_for(picture, model.preprocessing)], model.preprocessing)


def masked_by_hand(image, hidden, fill):
    """Hide cells pixel by pixel."""
    filled, masked = fill_in(image, Masking(fill=fill))[0], image[0].clone()
    side = image.shape[-1]
    for y, x in product(range(side), repeat=2):
        if hidden[y * hidden.shape[0] // side, x * hidden.shape[1] // side]:
            masked[:, y, x] = filled[:, y, x]
    return masked[None]


@torch.no_grad()
def score_by_hand(model, a, b, hidden, fill="blur"):
    with evaluating(model):
        left = model(masked_by_hand(pixels(model, a), hidden, fill))
        return float(model.similarity.pairs(left, model(pixels(model, b))))


def every_mask(shape):
    for bits in product([False, True], repeat=shape[0] * shape[1]):
        yield np.array(bits).reshape(shape)


@pytest.mark.parametrize("fill", ["blur", "mean"])
@pytest.mark.parametrize("name", ["plain", "graph"])
def test_cells_are_needed_and_the_score_is_that_of_the_final_picture(
    name, fill, plain, graph_of, noise
):
    model = plain if name == "plain" else graph_of(0, 1)
    a, b = noise(1), noise(1) // 2 + noise(2) // 2
    scores = {mask.tobytes(): score_by_hand(model, a, b, mask, fill) for mask in every_mask((2, 2))}
    whole = scores[np.zeros((2, 2), bool).tobytes()]
    lowest = min(scores.values())
    bar = (whole + lowest) / 2
    found = explain_change(model, a, b, Below(bar), fill=fill, cells=2, tries=4)
    assert found.before.score == pytest.approx(whole, abs=1e-5)
    assert found.after.score == pytest.approx(scores[found.hidden.tobytes()], abs=1e-5)
    assert found.reached
    assert found.after.score < bar
    for cell in zip(*found.hidden.nonzero(), strict=True):
        fewer = found.hidden.copy()
        fewer[cell] = False
        assert scores[fewer.tobytes()] >= bar
    fewest = min(mask.sum() for mask in every_mask((2, 2)) if scores[mask.tobytes()] < bar)
    assert found.cells == fewest
    assert found.smallest


def test_a_lower_bar_than_any_is_not_reached_and_says_so(plain, noise):
    found = explain_change(plain, noise(1), noise(1), Below(-0.99), cells=2)
    assert not found.reached
    assert found.after.score > -0.99
    told = str(found)
    assert "Hiding parts of A did not bring the similarity below −0.990." in told
    assert "No set of cells does it." in told
    some = explain_change(plain, noise(1), noise(1), Below(-0.99), cells=2, budget=4)
    assert some.ruled_out == 1
    assert "Some other set of cells may still do it." in str(some)
    masks = [score_by_hand(plain, noise(1), noise(1), mask) for mask in every_mask((2, 2))]
    assert found.after.score <= sorted(masks)[3]


def test_below_already(plain, noise):
    found = explain_change(plain, noise(1), noise(2), Below(1.5), cells=2)
    assert (found.cells, found.tried) == (0, 1)
    assert found.story().notes == ()
    assert found.story().sentences[0] == (
        "Nothing needs to change: the similarity is already below 1.500."
    )


def test_the_picture_shown_is_the_one_that_was_scored(plain, noise):
    a = noise(1)
    found = explain_change(plain, a, noise(1), Below(0.97), fill="mean", cells=4)
    assert found.cells > 0
    shown = pixels(plain, found.masked)
    expected = masked_by_hand(pixels(plain, a), found.hidden, "mean")
    np.testing.assert_allclose(shown, expected, atol=0.02)  # a byte more or less


def test_out_of_the_top(plain, shelf):
    a, b = shelf.path(0), shelf.path(4)
    e = plain.embed([shelf.path(i) for i in range(9)])
    scores = plain.similarity.matrix(e[0], e)[0]
    rank = 1 + sum(float(scores[i]) > float(scores[4]) for i in range(9) if i not in (0, 4))
    found = explain_change(plain, a, b, OutOfTop(rank, shelf), cells=4)
    assert found.before.rank == rank
    assert found.reached == (found.after.rank > rank)
    assert found.reached
    left = plain_embedding(plain, masked_by_hand(pixels(plain, a), found.hidden, "blur"))
    after = plain.similarity.matrix(left, e)[0]
    better = sum(float(after[i]) > float(after[4]) for i in range(9) if i not in (0, 4))
    assert found.after.rank == 1 + better
    assert f"B falls out of the top {rank} of 8 pictures." in str(found)


@torch.no_grad()
def plain_embedding(model, image):
    with evaluating(model):
        return model(image)


@pytest.mark.parametrize("name", ["plain", "graph"])
def test_what_hiding_takes_from_each_group(name, plain, graph_of, noise):
    model = plain if name == "plain" else graph_of(0, 1)
    a, b = noise(1), noise(1)
    bar = explain(model, a, b).score - 0.001
    found = explain_change(model, a, b, Below(bar), cells=2)
    assert found.cells > 0
    moved = [group.value for group in found.groups]
    assert sum(moved) == pytest.approx(found.after.score - found.before.score, abs=1e-6)
    assert [group.name for group in found.groups] == [group.name for group in found.why.groups]
    other = plain_embedding(model, pixels(model, b))
    masks = (np.zeros_like(found.hidden), found.hidden)
    before, after = (
        model.similarity.parts(
            plain_embedding(model, masked_by_hand(pixels(model, a), mask, "blur")), other
        ).values[0]
        for mask in masks
    )
    expected = (after - before).view(len(moved), -1).sum(dim=1)
    assert moved == pytest.approx(expected.tolist(), abs=1e-5)
    assert found.story().bars == found.groups


def test_before_and_after_are_said_with_their_percentiles(plain, noise, monkeypatch):
    calibration = Calibration(
        same=(-1.0, 1.0),
        different=(-1.0, 0.0, 1.0),
        same_pairs=9,
        different_pairs=9,
        rates=(),
        thresholds=(),
    )
    monkeypatch.setattr(plain, "calibration", calibration)
    found = explain_change(plain, noise(1), noise(1), Below(0.95), cells=2)
    for state, when in ((found.before, "Before"), (found.after, "After")):
        assert state.percentile_same == calibration.percentile_same(state.score)
        sentence = next(s for s in found.story().sentences if s.startswith(when))
        assert sentence == f"{when}: similarity {state.score:.3f}, {state.meaning}."


def test_how_sure_it_is_that_fewer_cells_will_not_do(plain, noise):
    found = explain_change(plain, noise(1), noise(1), Below(0.9), cells=2)
    told = {
        (1, 0): "Fewer cannot do it: one cell is the least.",
        (2, 1): "Fewer cannot do it: every single cell was tried.",
        (3, 2): "Fewer cannot do it: all sets of up to 2 cells were tried.",
        (3, 1): "Every single cell was tried, and none does it; it is not known whether any 2 "
        "cells would.",
        (9, 2): "All sets of up to 2 cells were tried, and none does it; it is not known whether "
        "any 3 to 8 cells would.",
        (3, 0): "It is not known whether fewer cells would do it.",
    }
    low = replace(found.after, score=found.after.bar - 1)
    for (cells, ruled_out), sentence in told.items():
        hidden = np.arange(16).reshape(4, 4) < cells
        shown = replace(found, hidden=hidden, ruled_out=ruled_out, after=low)
        assert shown.story().sentences[1] == sentence
        assert shown.smallest == sentence.startswith("Fewer")


def test_no_budget_below_zero(plain, noise):
    with pytest.raises(UsageError, match="budget = -1"):
        explain_change(plain, noise(1), noise(2), Below(0.5), budget=-1)


def test_no_tries(plain, noise):
    with pytest.raises(UsageError, match="try at least one cell"):
        explain_change(plain, noise(1), noise(2), Below(0.5), tries=0)
