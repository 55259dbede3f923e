"""Results of every measure, made by hand, and the report that they make."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from lookalike.explanation import Pictured
from lookalike.explanation.measures import (
    Correlations,
    Curves,
    Faithfulness,
    GroupDiversity,
    Interval,
    Localisation,
    Masking,
    PartShare,
    PeakParts,
    Randomisation,
    Response,
    Stability,
    WorstPair,
    describe_groups,
)
from lookalike.explanation.report import ExplanationsReport
from lookalike.preprocessing import Geometry

SHARES = np.array([0.0, 0.5, 1.0])
RANDOM = np.array([[1.0, 0.5, 0.0]] * 3)


def curves(kind, middle) -> Curves:
    """Three pairs from 1 to 0 or back; the area is (1 + 2 · middle) / 4, of all pairs alike."""
    scores = np.array([[1.0, middle, 0.0]] * 3)
    if kind == "insertion":
        return Curves(kind, SHARES, scores[:, ::-1], RANDOM[:, ::-1], np.arange(3))
    return Curves(kind, SHARES, scores, RANDOM, np.arange(3))


def faithful(method, middle, *, fill="blur", swapped=False) -> Faithfulness:
    pairs = ((0, 1), (2, 3), (4, 5))
    deletion, insertion = curves("deletion", middle), curves("insertion", 1 - middle)
    return Faithfulness(method, swapped, Masking(fill=fill), pairs, deletion, insertion)


def share(name, value) -> PartShare:
    return PartShare(
        name, Interval(value - 0.1, value, value + 0.1), 0.2, Interval(0.0, 0.3, 1.0), 0.1
    )


def stable(method, r) -> Stability:
    follows = Correlations(np.array([r, r, np.nan]), range(3))
    stays = Correlations(np.array([0.1, 0.1, 0.1]), range(3))
    response = Response("shift by a cell", follows, stays, Interval(0.0, 0.01, 0.02))
    return Stability(method, ((0, 1),) * 3, 0.25, 4.0, (response,))


def worst(area) -> WorstPair:
    seen = Geometry(30, 20, (0.0, 0.0, 30.0, 20.0))
    picture = Image.new("RGB", (30, 20), "white")
    pictures = tuple(Pictured(picture, seen, f"<i>/{n}.png") for n in "ab")
    maps = (np.array([[0.5, -0.25]]), np.array([[0.25, 0.0]]))
    scores, random = np.array([0.9, 0.8, 0.1]), np.array([0.9, 0.4, 0.1])
    return WorstPair("exact", "<b>", pictures, maps, area, SHARES, scores, random)


@pytest.fixture
def peaks() -> PeakParts:
    """Group 0 is always on the head; group 1 on the head once, on nothing three times."""
    codes = np.array([[0, 1], [0, 1], [0, 0], [0, 1]])
    chance = np.array([0.25, 0.75])
    return PeakParts("attention", ("head", "background"), codes, np.array([0, 0, 1, 1]), chance, 0)


@pytest.fixture
def results(peaks) -> dict:
    """Results of every measure, made by hand."""
    where = Localisation("exact", share("figure", 0.8), (share("head", 0.4),), 6, 0)
    cosine = Interval(0.1, 0.2, 0.3)
    correlations = Correlations(np.array([0.1, -0.5]), [0, 1])
    return {
        "faithfulness": (
            faithful("exact", 0.0),
            faithful("grad_cam", 0.2),
            faithful("random", 0.5),
            faithful("exact", 0.3, swapped=True),
            faithful("exact", 0.1, fill="mean"),
        ),
        "randomisation": (Randomisation("exact", "all", (), correlations),),
        "localisation": (where, replace(where, of="grad_cam")),
        "stability": (stable("exact", 0.9),),
        "groups": (describe_groups(peaks),),
        "diversity": (GroupDiversity("attention", 2, 4, cosine, cosine, None, None),),
        "worst": (worst(0.7), worst(0.6)),
    }


@pytest.fixture
def report(results) -> ExplanationsReport:
    return ExplanationsReport(
        model="attentive head of 2 groups on tiny",
        data="/a & b: 6 pictures of 3 classes",
        pairs=3,
        seed=0,
        methods=("exact", "grad_cam", "random"),
        results=results,
        left_out=("diversity, tokens: none of <these>",),
    )
