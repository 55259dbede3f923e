"""Whole runs on ten classes of noise: what a run folder tells, and that stopping loses nothing."""

import json
from pathlib import Path
from shutil import copytree
from typing import NamedTuple

import pytest
import torch

from lookalike import recipes
from lookalike.backbones import Tiny
from lookalike.checkpoint import load
from lookalike.data import Augmentation, Catalog
from lookalike.errors import ImageError, UsageError
from lookalike.heads import Attentive
from lookalike.losses import Margin, ObjectiveConfig
from lookalike.model import ModelConfig
from lookalike.preprocessing import Preprocessing
from lookalike.recipes import EvaluationConfig, Recipe, Run
from lookalike.training import Constant, TrainConfig


def recipe(epochs: int = 4, **train) -> Recipe:
    return Recipe(
        name="noise",
        model=ModelConfig(
            backbone=Tiny(channels=(8, 16)),
            head=Attentive(groups=2),
            dim=16,
            preprocessing=Preprocessing(size=24),
        ),
        objective=ObjectiveConfig(loss=Margin()),
        augmentation=Augmentation(crop="resized", crop_area=(0.5, 1.0)),
        train=TrainConfig(
            epochs=epochs,
            classes_per_batch=3,
            images_per_class=2,
            validation_share=0.3,
            schedule=Constant(),
            **train,
        ),
        evaluation=EvaluationConfig(clustering=False),
    )


class StopAfter:
    """A listener that ends the process's patience, as a person does with Ctrl-C."""

    def __init__(self, epoch: int):
        self.epoch = epoch

    def on_start(self, epoch):
        pass

    def on_step(self, event):
        pass

    def on_epoch(self, event):
        if event.epoch == self.epoch:
            raise KeyboardInterrupt

    def on_note(self, message):
        pass

    def on_warning(self, message):
        pass


class Whole(NamedTuple):
    """A run that nothing has stopped, and its folder."""

    run: Run
    folder: Path


@pytest.fixture(scope="module")
def whole(noise, tmp_path_factory) -> Whole:
    folder = tmp_path_factory.mktemp("whole")
    return Whole(recipes.train(recipe(), noise, folder), folder)


def test_a_stopped_run_goes_on_as_if_nothing_had_happened(whole, noise, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        recipes.train(recipe(), noise, tmp_path / "parts", listeners=[StopAfter(2)])
    load(tmp_path / "parts")  # what is there after two epochs is a model
    parts = recipes.train(recipe(), noise, tmp_path / "parts", resume=True)
    for (name, a), (_, b) in zip(
        whole.run.model.state_dict().items(), parts.model.state_dict().items(), strict=True
    ):
        assert torch.equal(a, b), name
    assert whole.run.report == parts.report
    assert whole.run.model.calibration == parts.model.calibration
    logs = [(run / "log.jsonl").read_text() for run in (whole.folder, tmp_path / "parts")]
    assert logs[0] == logs[1]


def test_more_epochs_are_added_but_no_other_recipe(noise, tmp_path):
    recipes.train(recipe(2), noise, tmp_path / "run")
    longer = recipes.train(recipe(4), noise, tmp_path / "run", resume=True)
    assert longer.fit.epochs == 4
    other = recipe(4).model_copy(update={"seed": 1})
    with pytest.raises(UsageError, match="differ: seed"):
        recipes.train(other, noise, tmp_path / "run", resume=True)
    with pytest.raises(UsageError, match="--resume"):
        recipes.train(recipe(4), noise, tmp_path / "run")


def test_the_log_says_what_was_seen_and_left_out(noise, tmp_path):
    copytree(noise.root, tmp_path / "data")
    catalog = Catalog.from_folder(tmp_path / "data")
    catalog.path(4).write_bytes(b"")
    everything = catalog.with_splits(["train"] * len(catalog))
    with pytest.raises(ImageError, match="row 4"):
        recipes.train(recipe(1), everything, tmp_path / "a")
    run = recipes.train(recipe(1, skip_bad=True, batches_per_epoch=20), everything, tmp_path / "b")
    assert run.report is None
    lines = [json.loads(line) for line in (tmp_path / "b" / "log.jsonl").read_text().splitlines()]
    notes = [line["note"] for line in lines if "note" in line]
    assert any("of 7 classes" in note for note in notes)
    if "c1" in run.division.train.class_names:
        assert any("c1/0.png" in line.get("warning", "") for line in lines)


def test_training_leaves_the_models_scores_with_a_meaning(whole):
    calibration = load(whole.folder).calibration
    assert calibration == whole.run.model.calibration
    held_out = whole.run.division.validation
    assert calibration.same_pairs == len(held_out.classes) * 6  # four pictures a class
    assert "held-out training classes" in calibration.measured_on
