"""A model as a folder: `model.safetensors` and `config.json`, and nothing that could run code."""

import json
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import Field
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from lookalike.calibration import Calibration
from lookalike.config import Config, parse
from lookalike.errors import CheckpointError, ConfigError
from lookalike.files import replace, replace_text
from lookalike.model import Model, ModelConfig
from lookalike.preprocessing import Preprocessing

FORMAT = 1
WEIGHTS = "model.safetensors"
CONFIG = "config.json"


class SavedModel(Config):
    """What `config.json` holds."""

    format: int = FORMAT
    """Raised when a newer library could not read the folder as it stands."""
    model: ModelConfig
    preprocessing: Preprocessing
    class_names: tuple[str, ...] = ()
    """Classes it was trained on, in the order of their codes."""
    calibration: Calibration | None = None
    recipe: dict[str, Any] | None = None
    """The whole recipe that made it, None for a model that was not trained here."""
    data: dict[str, Any] | None = None
    """Which data it was trained, chosen and measured on."""
    versions: dict[str, str] = Field(default_factory=dict)


def versions() -> dict[str, str]:
    """Return the versions that a run depends on."""
    packages = ("lookalike", "torch", "torchvision", "timm", "accelerate")
    return {"python": platform.python_version()} | {name: version(name) for name in packages}


def save(
    model: Model,
    folder: str | Path,
    *,
    recipe: Mapping[str, Any] | None = None,
    data: Mapping[str, Any] | None = None,
) -> None:
    """Write a model to a folder, each file in one step.

    Args:
        model: What to save, with its preprocessing, class names and calibration.
        folder: Made if it is not there.
        recipe: The recipe that made it, as plain values.
        data: Which data it was trained on, as plain values.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: t.detach().cpu().contiguous() for name, t in model.state_dict().items()}
    replace(folder / WEIGHTS, lambda path: save_file(weights, str(path)))
    saved = SavedModel(
        model=model.config,
        preprocessing=model.preprocessing,
        class_names=model.class_names,
        calibration=model.calibration,
        recipe=None if recipe is None else dict(recipe),
        data=None if data is None else dict(data),
        versions=versions(),
    )
    replace_text(folder / CONFIG, saved.model_dump_json(indent=1) + "\n")


def read_config(folder: str | Path) -> SavedModel:
    """Read a run folder's `config.json`.

    Raises:
        CheckpointError: There is none, or it is not one that this library can read.
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


def load(folder: str | Path) -> Model:
    """Load a model from its folder, in eval mode, on the CPU.

    Args:
        folder: As written by `save` or `lookalike train`.

    Raises:
        CheckpointError: A file is missing, damaged, or does not belong to the other.
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
    return model.eval()
