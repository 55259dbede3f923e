"""The state that a run resumes from."""

from dataclasses import asdict

import pytest
import torch

from lookalike.errors import CheckpointError
from lookalike.training import ResumeState
from lookalike.training.state import FILE


def test_it_is_read_as_it_was_written(tmp_path):
    state = ResumeState(
        epoch=3,
        best=0.5,
        stale=1,
        model={"weight": torch.arange(3.0)},
        objective={},
        optimizer={"param_groups": [{"lr": 0.1}]},
        scaler={},
    )
    assert ResumeState.load(tmp_path) is None
    state.save(tmp_path)
    read = ResumeState.load(tmp_path)
    assert torch.equal(read.model["weight"], state.model["weight"])
    assert asdict(read) | {"model": None} == asdict(state) | {"model": None}


@pytest.mark.parametrize("damage", ["cut", "text", "object", "other"])
def test_a_damaged_file_is_refused_and_runs_no_code(tmp_path, damage):
    path = tmp_path / FILE
    if damage == "cut":
        ResumeState(1, None, 0, {"a": torch.zeros(99)}, {}, {}, {}).save(tmp_path)
        path.write_bytes(path.read_bytes()[:300])
    elif damage == "text":
        path.write_text("not a state")
    else:
        torch.save({"epoch": 1} if damage == "other" else CheckpointError("an object"), path)
    with pytest.raises(CheckpointError, match="delete it to start the run again"):
        ResumeState.load(tmp_path)
