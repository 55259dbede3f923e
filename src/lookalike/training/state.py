"""The state that a run resumes from: one file, replaced at once, read without running code."""

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

    Batches, augmentation and sampling depend only on the seed and the number of the epoch, so no
    state of a random generator is needed.

    Args:
        epoch: How many epochs are done.
        best: The best validation result so far, None before the first.
        stale: How many validations were not better since then.
        model: The weights after `epoch`, which need not be the best.
        objective: The parameters of the loss.
        optimizer: The state of the optimiser.
        scaler: The state of fp16's gradient scaler, otherwise empty.
    """

    epoch: int
    best: float | None
    stale: int
    model: dict[str, Any]
    objective: dict[str, Any]
    optimizer: dict[str, Any]
    scaler: dict[str, Any]

    def save(self, folder: Path) -> None:
        """Write the state. If the process is killed, either the old or the new one remains."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        replace(folder / FILE, lambda path: torch.save(fields, path))

    @staticmethod
    def load(folder: Path) -> "ResumeState | None":
        """Read the state; None if there is none.

        Raises:
            CheckpointError: The file is not such a state.
        """
        path = folder / FILE
        if not path.exists():
            return None
        try:
            # weights_only accepts only tensors and plain values, so no code can run
            return ResumeState(**torch.load(path, map_location="cpu", weights_only=True))
        except (pickle.UnpicklingError, RuntimeError, TypeError, EOFError) as error:
            raise CheckpointError(
                f"{path}: not a state to resume from ({type(error).__name__}); delete it to start "
                "the run again"
            ) from error
