"""The state that a run resumes from: one file, replaced as a whole, read without running code."""

import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from lookalike.errors import CheckpointError
from lookalike.files import replace

FILE = "resume.pt"


@dataclass(frozen=True, slots=True)
class ResumeState:
    """Everything that the next epoch depends on.

    Batches, augmentation and sampling follow from the seed and the epoch's number, so no state
    of a random generator is needed.

    Args:
        epoch: How many epochs are done.
        best: The best validation measure so far, None before the first.
        stale: Validations since the best one.
        model: Weights after `epoch`, which need not be the best.
        objective: The loss's own parameters.
        optimizer: Its moments.
        scaler: Of fp16's gradient scaler, empty elsewhere.
    """

    epoch: int
    best: float | None
    stale: int
    model: dict[str, Any]
    objective: dict[str, Any]
    optimizer: dict[str, Any]
    scaler: dict[str, Any]

    def save(self, folder: Path) -> None:
        """Write the state so that a kill leaves either the old or the new one."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        replace(folder / FILE, lambda path: torch.save(fields, path))

    @staticmethod
    def load(folder: Path) -> "ResumeState | None":
        """Read the state; None where there is none.

        Raises:
            CheckpointError: The file is not such a state.
        """
        path = folder / FILE
        if not path.exists():
            return None
        try:
            # weights_only refuses anything but tensors and plain values: no code can hide there.
            return ResumeState(**torch.load(path, map_location="cpu", weights_only=True))
        except (pickle.UnpicklingError, RuntimeError, TypeError, EOFError) as error:
            raise CheckpointError(
                f"{path}: not a state to resume from ({type(error).__name__}); delete it to start "
                "this run anew"
            ) from error
