"""The head of AVSL against the released implementation, weights copied in."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from lookalike.heads import LevelsHead
from lookalike.heads.cams import certainties, pool
from lookalike.types import FeatureMaps

TOLERANCE = {torch.float64: 1e-9, torch.float32: 1e-5}
both_dtypes = pytest.mark.parametrize("dtype", TOLERANCE)
LEVELS = range(3)


def golden(dtype):
    with np.load(Path(__file__).parent / "avsl.npz") as arrays:
        return {key: torch.from_numpy(value).to(dtype) for key, value in arrays.items()}


def head_of(arrays, dtype, *, rule="global"):
    weights = [arrays[f"projection_weight_{level}"] for level in LEVELS]
    head = LevelsHead(
        [weight.shape[1] for weight in weights],
        nodes=len(weights[0]),
        stages=LEVELS,
        certainty_rule=rule,
    ).to(dtype)
    state = {f"projections.{level}.weight": weights[level] for level in LEVELS}
    state |= {f"projections.{n}.bias": arrays[f"projection_bias_{n}"] for n in LEVELS}
    head.load_state_dict(state)
    return head.train()


def features(arrays, name):
    return FeatureMaps(tuple(arrays[f"{name}_{level}"] for level in LEVELS), (4, 8, 16))


def close(actual, expected, dtype):
    assert actual.shape == expected.shape
    error = float((actual.detach() - expected).abs().max() / expected.abs().max())
    assert error < TOLERANCE[dtype], f"relative error {error:.1e}"


@both_dtypes
@pytest.mark.parametrize("which", ["", "2"])
def test_embeddings(dtype, which):
    arrays = golden(dtype)
    head = head_of(arrays, dtype)
    maps = features(arrays, f"features{which}")
    for level, made in enumerate(head(maps).levels):
        expected = arrays[f"embedding{which}_{level}"]
        close(head.projections[level](pool(maps.stages[level])), expected, dtype)
        close(made.vectors[..., 0], normalize(expected, dim=1), dtype)


@both_dtypes
def test_cams(dtype):
    arrays = golden(dtype)
    head = head_of(arrays, dtype)
    for level in LEVELS:
        close(head.cams(arrays[f"features_{level}"], level), arrays[f"cam_{level}"], dtype)


@both_dtypes
@pytest.mark.parametrize(
    ("rule", "which", "key"),
    [
        ("global", "", "certainty_global_min"),
        ("rowwise", "", "certainty_rowwise_min"),
        ("rowwise", "2", "certainty2_rowwise_min"),
    ],
)
def test_certainties(dtype, rule, which, key):
    arrays = golden(dtype)
    made = head_of(arrays, dtype, rule=rule)(features(arrays, f"features{which}"))
    for level in LEVELS:
        close(made.levels[level].certainty, arrays[f"{key}_{level}"], dtype)
    if not which:
        close(certainties(arrays["cam_1"], rule), arrays[f"{key}_1"], dtype)


@both_dtypes
@pytest.mark.parametrize("which", ["", "2"])
def test_links(dtype, which):
    arrays = golden(dtype)
    made = head_of(arrays, dtype)(features(arrays, f"features{which}"))
    for level in LEVELS[1:]:
        # The released code holds the lower level's nodes in rows.
        expected = arrays[f"batch{which}_link_{level - 1}to{level}"].T
        close(made.levels[level].links, expected, dtype)
