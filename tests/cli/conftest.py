from pathlib import Path
from shutil import copytree

import numpy as np
import pytest
import torch
from PIL import Image

from lookalike import checkpoint
from lookalike.backbones import Tiny
from lookalike.calibration import Calibration
from lookalike.explanation.account.group_names import GroupNames
from lookalike.heads import Attentive, Ensemble, Single
from lookalike.model import Model, create_model
from lookalike.preprocessing import Preprocessing


def random_model(head) -> Model:
    torch.manual_seed(0)
    preprocessing = Preprocessing(size=32, fit="stretch")
    return create_model(Tiny(channels=(4, 8)), head=head, dim=8, preprocessing=preprocessing)


@pytest.fixture(scope="session")
def pictures_and_runs(tmp_path_factory) -> Path:
    """A folder with pictures, data, and runs of random weights.

    Calibrated, and with a name for its first group, is run; best and groups are the same model
    without, other/best has one group, and learners an ensemble's masks.
    """
    root = tmp_path_factory.mktemp("place")
    random = np.random.default_rng(0)
    for label in "abc":
        (root / "data" / label).mkdir(parents=True)
        for number in range(2):
            pixels = random.integers(0, 255, (20, 20, 3), np.uint8)
            Image.fromarray(pixels).save(root / "data" / label / f"{number}.png")
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
