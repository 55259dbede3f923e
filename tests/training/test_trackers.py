"""Trackers: what TensorBoard and Weights & Biases get, and what happens without them."""

import sys
from importlib import invalidate_caches
from importlib.metadata import PackageNotFoundError

import pytest

from lookalike.errors import UsageError
from lookalike.training import EpochEvent, TrainConfig, track
from lookalike.training import trackers as module

STUB = """
import json, os

runs = []

class Run:
    def __init__(self, options):
        self.options, self.logged, self.finished = options, [], False
        runs.append(self)

    def log(self, values, step):
        self.logged.append((step, values))

    def finish(self):
        self.finished = True

def init(**options):
    return Run(options)
"""


def train(config, folder, *, fail=False):
    """Log two epochs as the training loop does."""
    with track(config, folder, recipe={"seed": 3}) as listeners:
        for listener in listeners:
            listener.on_start(0)
            for epoch, loss in ((1, 0.5), (2, 0.25)):
                listener.on_epoch(EpochEvent(epoch, 2, {"loss": loss}, best=False))
                if fail:
                    raise KeyboardInterrupt


def test_tensorboard_has_every_epoch(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    train(TrainConfig(tensorboard=True), tmp_path)
    events = EventAccumulator(str(tmp_path / "tensorboard")).Reload()
    assert events.Tags()["scalars"] == ["loss"]
    assert [(e.step, e.value) for e in events.Scalars("loss")] == [(1, 0.5), (2, 0.25)]


@pytest.fixture
def wandb(tmp_path, monkeypatch):
    """A stand-in for the package, which records what it is given."""
    (tmp_path / "packages" / "wandb").mkdir(parents=True)
    (tmp_path / "packages" / "wandb" / "__init__.py").write_text(STUB)
    (tmp_path / "packages" / "wandb-1.0.dist-info").mkdir()
    metadata = "Metadata-Version: 2.1\nName: wandb\nVersion: 1.0\n"
    (tmp_path / "packages" / "wandb-1.0.dist-info" / "METADATA").write_text(metadata)
    monkeypatch.syspath_prepend(tmp_path / "packages")
    monkeypatch.delitem(sys.modules, "wandb", raising=False)
    invalidate_caches()
    import wandb

    yield wandb
    del sys.modules["wandb"]


def test_wandb_has_every_epoch_and_the_recipe(tmp_path, wandb):
    train(TrainConfig(wandb=True), tmp_path / "birds")
    (run,) = wandb.runs
    assert run.logged == [(1, {"loss": 0.5}), (2, {"loss": 0.25})]
    assert run.options["project"] == "lookalike"
    assert (run.options["name"], run.options["config"]) == ("birds", {"seed": 3})
    assert run.finished


def test_a_stopped_run_is_finished_too(tmp_path, wandb):
    with pytest.raises(KeyboardInterrupt):
        train(TrainConfig(wandb=True), tmp_path, fail=True)
    assert wandb.runs[0].logged == [(1, {"loss": 0.5})]
    assert wandb.runs[0].finished


@pytest.mark.parametrize("package", ["tensorboard", "wandb"])
def test_a_missing_package_is_named_with_what_to_install(tmp_path, monkeypatch, package):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(module, "version", missing)
    with pytest.raises(UsageError, match=rf"{package} = true needs .* 'lookalike\[track\]'"):
        train(TrainConfig(**{package: True}), tmp_path)


def test_without_trackers_nothing_is_written(tmp_path):
    train(TrainConfig(), tmp_path)
    assert list(tmp_path.iterdir()) == []
