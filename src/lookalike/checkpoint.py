"""Loading a model from its run folder, which holds nothing that could run code."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from lookalike.config import parse
from lookalike.errors import CheckpointError, ConfigError, UsageError
from lookalike.model import CONFIG, FORMAT, WEIGHTS, Model, SavedModel


def save(
    model: Model,
    folder: str | Path,
    *,
    recipe: Mapping[str, Any] | None = None,
    data: Mapping[str, Any] | None = None,
) -> None:
    """Write a model to a folder; the same as `model.save(folder)`."""
    model.save(folder, recipe=recipe, data=data)


def read_config(folder: str | Path) -> SavedModel:
    """Read the `config.json` of a run folder.

    Raises:
        CheckpointError: There is none, or this library cannot read it.
    """
    path = Path(folder) / CONFIG
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CheckpointError(
            f"{path}: {error.strerror}; a model is a folder with {CONFIG} and {WEIGHTS}, "
            "as `lookalike train` makes it"
        ) from None
    except ValueError as error:
        raise CheckpointError(f"{path}: not valid JSON ({error})") from None
    if isinstance(data, dict) and isinstance(data.get("format"), int) and data["format"] > FORMAT:
        raise CheckpointError(
            f"{path}: written by a newer lookalike (format {data['format']}, this one reads "
            f"up to {FORMAT}): upgrade"
        )
    try:
        saved: SavedModel = parse(SavedModel, data, source=str(path))
    except ConfigError as error:
        raise CheckpointError(str(error)) from None
    return saved


def load(folder: str | Path, *, device: torch.device | str = "cpu") -> Model:
    """Load a model from its folder, in eval mode.

    Args:
        folder: As written by `Model.save` or `lookalike train`.
        device: Where to put the weights, e.g. "cuda".

    Raises:
        CheckpointError: A file is missing or damaged, or the two files do not belong together.
        UsageError: There is no such device.
    """
    saved = read_config(folder)
    path = Path(folder) / WEIGHTS
    model = saved.model.build(pretrained=False)
    try:
        model.load_state_dict(load_file(str(path)))
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"{path}: cannot read the weights: {error}") from None
    except RuntimeError as error:
        reason = " ".join(str(error).split())[:300]
        raise CheckpointError(
            f"{path}: these weights do not belong to {CONFIG} beside them: {reason}"
        ) from None
    model.preprocessing = saved.preprocessing
    model.class_names = saved.class_names
    model.calibration = saved.calibration
    try:
        return model.to(device).eval()
    except (RuntimeError, AssertionError) as error:  # without CUDA torch fails by an assertion
        reason = str(error).splitlines()[0]
        raise UsageError(f"device = {device}: not available here ({reason})") from None
