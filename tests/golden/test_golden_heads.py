"""The heads against the released implementation, weights copied in."""

from pathlib import Path

import numpy as np
import pytest
import torch

from lookalike.heads import Attentive, Channel, Gated, LinearGroups, Single

HERE = Path(__file__).parent
TOLERANCE = {torch.float64: 1e-9, torch.float32: 1e-5}


def golden(name, dtype):
    with np.load(HERE / f"{name}.npz") as arrays:
        return {key: torch.from_numpy(value).to(dtype) for key, value in arrays.items()}


def relative_error(actual, expected):
    assert actual.shape == expected.shape
    return float((actual.detach() - expected).abs().max() / expected.abs().max())


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_single(dtype):
    arrays = golden("head_single", dtype)
    dim, channels = arrays["weight"].shape
    head = Single().head(channels, dim, -1).to(dtype)
    head.load_state_dict({"linear.weight": arrays["weight"]})
    vectors = head.vectors(arrays["features"])[:, 0]
    assert relative_error(vectors, arrays["embeddings"]) < TOLERANCE[dtype]


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_attentive(dtype):
    arrays = golden("head_attentive", dtype)
    dim, channels = arrays["value_weight"].shape
    groups = len(arrays["queries"])
    head = Attentive(groups=groups).head(channels, dim * groups, -1).to(dtype)
    head.load_state_dict(
        {
            "queries": arrays["queries"],
            "key.weight": arrays["key_weight"][..., None, None],
            "value.weight": arrays["value_weight"][..., None, None],
        }
    )
    features = arrays["features"]
    assert relative_error(head.attention(features), arrays["attention"]) < TOLERANCE[dtype]
    assert relative_error(head.vectors(features), arrays["embeddings"]) < TOLERANCE[dtype]


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_linear_groups(dtype):
    arrays = golden("head_linear_groups", dtype)
    _, groups, dim = arrays["embeddings"].shape
    head = LinearGroups(groups=groups).head(arrays["weight"].shape[1], dim * groups, -1).to(dtype)
    head.load_state_dict({"linear.weight": arrays["weight"]})
    vectors = head.vectors(arrays["features"])
    assert relative_error(vectors, arrays["embeddings"]) < TOLERANCE[dtype]


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_gated(dtype):
    arrays = golden("head_gated", dtype)
    groups, channels, _ = arrays["gate_weight"].shape
    head = Gated(groups=groups).head(channels, len(arrays["linear_weight"]) * groups, -1).to(dtype)
    head.load_state_dict(
        {
            "shared.weight": arrays["shared_weight"][..., None, None],
            "shared.bias": arrays["shared_bias"],
            "gates.weight": arrays["gate_weight"].flatten(0, 1)[..., None, None],
            "gates.bias": arrays["gate_bias"].flatten(),
            "linear.weight": arrays["linear_weight"],
        }
    )
    features = arrays["features"]
    assert relative_error(head.masks(features), arrays["masks"]) < TOLERANCE[dtype]
    assert relative_error(head.vectors(features), arrays["embeddings"]) < TOLERANCE[dtype]


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_channel(dtype):
    arrays = golden("head_channel", dtype)
    groups, _, channels = arrays["squeeze_weight"].shape
    head = (
        Channel(groups=groups).head(channels, len(arrays["linear_weight"]) * groups, -1).to(dtype)
    )
    weights = {"linear.weight": arrays["linear_weight"], "linear.bias": arrays["linear_bias"]}
    for group in range(groups):
        weights[f"excitations.{group}.0.weight"] = arrays["squeeze_weight"][group]
        weights[f"excitations.{group}.2.weight"] = arrays["excite_weight"][group]
    head.load_state_dict(weights)
    features = arrays["features"]
    assert (
        relative_error(head.channel_weights(features), arrays["channel_weights"]) < TOLERANCE[dtype]
    )
    assert relative_error(head.vectors(features), arrays["embeddings"]) < TOLERANCE[dtype]
