from pathlib import Path
from shutil import copytree

import pytest
import torch

from lookalike import checkpoint
from lookalike.backbones import Tiny
from lookalike.calibration import Calibration
from lookalike.explanation.measures.naming import GroupNames
from lookalike.heads import Attentive, Ensemble, Single
from lookalike.model import Model, create_model
from lookalike.preprocessing import Preprocessing


def random_model(head) -> Model:
    torch.manual_seed(0)
    preprocessing = Preprocessing(size=32, fit="stretch")
    return create_model(Tiny(channels=(4, 8)), head=head, dim=8, preprocessing=preprocessing)


@pytest.fixture(scope="session")
def pictures_and_runs(noise_folder, tmp_path_factory) -> Path:
    """A folder with pictures, data, and runs of random weights.

    Calibrated, and with a name for its first group, is run; best and groups are the same model
    without, other/best has one group, and learners an ensemble's masks.
    """
    root = tmp_path_factory.mktemp("place")
    copytree(noise_folder, root / "data")
    heads = {
        "run": Attentive(groups=2),
        "best": Attentive(groups=2),
        "groups": Attentive(groups=2),
        "other/best": Single(),
        "learners": Ensemble(groups=2, branch=-1),
    }
    for name, head in heads.items():
        model = random_model(head)
        if name == "run":
            model.calibration = Calibration(
                same=(-1.0, 1.0),
                different=(-1.0, 1.0),
                same_pairs=9,
                different_pairs=9,
                rates=(),
                thresholds=(),
            )
        checkpoint.save(model, root / name)
    GroupNames(("ears", None)).save(root / "run")
    return root


@pytest.fixture
def place(pictures_and_runs, tmp_path, monkeypatch) -> Path:
    """A copy of `pictures_and_runs` to work in."""
    copytree(pictures_and_runs, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path
