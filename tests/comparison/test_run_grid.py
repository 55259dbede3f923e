"""The runs of a grid on ten classes of noise: resumed, reused, not stopped by one that fails."""

import json
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import NamedTuple, get_args

import pytest

from lookalike.backbones import BackboneConfig, Tiny
from lookalike.comparison import (
    Comparison,
    RunRow,
    grid,
    run_grid,
)
from lookalike.comparison.compare_recipes import Stopwatch
from lookalike.data import Catalog
from lookalike.errors import UsageError
from lookalike.heads import Levels, LinearGroups
from lookalike.losses import Margin, ObjectiveConfig
from lookalike.model import ModelConfig
from lookalike.preprocessing import Preprocessing
from lookalike.recipes import EvaluationConfig, Recipe
from lookalike.similarity import Graph
from lookalike.training import EpochEvent, Listener, TrainConfig

RECIPE = Recipe(
    name="noise",
    model=ModelConfig(
        backbone=Tiny(channels=(8, 16)),
        head=LinearGroups(groups=2),
        dim=16,
        preprocessing=Preprocessing(size=24),
    ),
    objective=ObjectiveConfig(loss=Margin()),
    train=TrainConfig(epochs=2, classes_per_batch=3, images_per_class=2, validation_share=0),
    evaluation=EvaluationConfig(clustering=False),
)


class Whole(NamedTuple):
    """A comparison and its folder."""

    found: Comparison
    folder: Path


@pytest.fixture(scope="module")
def catalog(noise) -> Catalog:
    """Three pictures each of ten classes."""
    return noise.subset([row for row in range(len(noise)) if row % 4 < 3])


@pytest.fixture(scope="module")
def whole(catalog, tmp_path_factory) -> Whole:
    """A comparison of one run, seed 0 of the recipe, that nothing has stopped."""
    folder = tmp_path_factory.mktemp("whole")
    return Whole(run_grid(grid([RECIPE], {}, [0]), catalog, folder, say=lambda _: None), folder)


def test_finished_runs_are_reused_and_say_the_same(catalog, tmp_path):
    said: list[str] = []
    planned = grid([RECIPE], {"head": ["single", "linear"]}, [0, 1])
    first = run_grid(planned, catalog, tmp_path / "out", say=said.append)
    weights = tmp_path / "out" / "linear" / "seed-1" / "model.safetensors"
    written = weights.stat().st_mtime_ns

    again = run_grid(planned, catalog, tmp_path / "out", say=said.append)

    assert (first.reused, again.reused) == (0, 4)
    assert [row.measures for row in again.rows] == [row.measures for row in first.rows]
    assert weights.stat().st_mtime_ns == written
    assert said[-1] == "4 of 4: linear/seed-1 is finished"
    row = again.rows[-1]
    assert (row.head, row.loss, row.backbone, row.groups, row.seed) == (
        "linear",
        "margin",
        "tiny",
        2,
        1,
    )
    report = json.loads((tmp_path / "out" / "linear" / "seed-1" / "report.json").read_text())
    assert row.measures["recall_at_1"] == report["metrics"]["recall_at_1"]


class Impatient:
    """A listener that stops everything after the second epoch's first step."""

    def on_start(self, epoch):
        pass

    def on_step(self, event):
        if event.epoch == 2:
            raise KeyboardInterrupt

    def on_epoch(self, event):
        pass

    def on_note(self, message):
        pass

    def on_warning(self, message):
        pass


def test_a_stopped_run_is_resumed_and_ends_where_it_would_have(whole, catalog, tmp_path):
    planned = grid([RECIPE], {}, [0])
    with pytest.raises(KeyboardInterrupt):
        run_grid(planned, catalog, tmp_path / "cut", listeners=[Impatient()], say=lambda _: None)
    resumed = run_grid(planned, catalog, tmp_path / "cut", say=lambda _: None)
    log = (tmp_path / "cut" / "noise" / "seed-0" / "log.jsonl").read_text().splitlines()
    epochs = [json.loads(line)["epoch"] for line in log if "metric" in json.loads(line)]
    assert epochs == [1, 2]
    assert resumed.rows[0].measures == whole.found.rows[0].measures


def test_one_that_fails_is_reported_and_the_others_are_run(catalog, tmp_path):
    planned = grid([RECIPE], {"groups": ["2", "99", "4"]}, [0])
    found = run_grid(planned, catalog, tmp_path, say=lambda _: None)
    assert [row.groups for row in found.rows] == [2, 4]
    (failure,) = found.failures
    assert failure.folder == "99/seed-0"
    assert "99 groups" in failure.reason
    assert "Traceback" in (tmp_path / "99" / "seed-0" / "error.txt").read_text()


def test_more_can_be_measured_of_each_run(catalog, tmp_path):
    planned = grid([RECIPE], {}, [0])
    found = run_grid(
        planned,
        catalog,
        tmp_path,
        measure=[
            lambda run: {"pictures": float(len(run.catalog))},
            lambda run: {"rows": tuple(run.embedded.rows.tolist())},
        ],
        say=lambda _: None,
    )
    assert found.rows[0].measures["pictures"] == 9.0
    assert found.rows[0].series == {"rows": tuple(range(9))}
    assert RunRow.load(tmp_path / "noise" / "seed-0") == replace(
        found.rows[0], milliseconds_per_image=None
    )


def test_explanations_of_finished_runs_are_measured_without_training(catalog, tmp_path):
    planned = grid([RECIPE], {}, [0])
    before = run_grid(planned, catalog, tmp_path / "out").rows[0]
    weights = tmp_path / "out" / planned[0].folder / "model.safetensors"
    written = weights.stat().st_mtime_ns
    said: list[str] = []

    asked = run_grid(planned, catalog, tmp_path / "out", explanations=2, say=said.append)
    again = run_grid(planned, catalog, tmp_path / "out", explanations=2, say=said.append)

    assert said == [
        "1 of 1: noise/seed-0 is finished",
        "1 of 1: noise/seed-0: measuring explanations",
        "1 of 1: noise/seed-0 is finished",
    ]
    assert weights.stat().st_mtime_ns == written
    row = asked.rows[0]
    assert row.measures["explanation_pairs"] == 2
    assert -1 <= row.measures["flip_exact"] <= 1
    assert before.measures.items() <= row.measures.items()
    assert again.rows[0].measures == row.measures


def test_a_row_stays_where_its_weights_are_gone(catalog, tmp_path):
    planned = grid([RECIPE], {}, [0])
    run_grid(planned, catalog, tmp_path / "out")
    (tmp_path / "out" / planned[0].folder / "model.safetensors").unlink()
    found = run_grid(planned, catalog, tmp_path / "out", explanations=2)
    assert [row.seed for row in found.rows] == [0]
    assert "model.safetensors" in found.failures[0].reason


def test_explanations_without_pairs_are_refused_before_training(catalog, tmp_path):
    few = catalog.subset(range(0, len(catalog), 3)).with_splits(["train"] * 5 + ["test"] * 5)
    said: list[str] = []
    with pytest.raises(UsageError, match="two pictures"):
        run_grid(grid([RECIPE], {}, [0]), few, tmp_path / "out", explanations=2, say=said.append)
    assert said == []


def test_what_is_varied_is_said_by_the_grid_that_asks(whole, catalog, tmp_path):
    assert whole.found.rows[0].varied == {}
    copytree(whole.folder, tmp_path, dirs_exist_ok=True)
    varied = replace(grid([RECIPE], {}, [0])[0], varied={"model.head.groups": "2"})
    again = run_grid([varied], catalog, tmp_path, say=lambda _: None)
    assert (again.reused, again.rows[0].varied) == (1, {"model.head.groups": "2"})


def test_all_levels_of_a_graph_count(catalog, tmp_path):
    model = RECIPE.model.model_copy(update={"head": Levels(stages=(0, 1)), "similarity": Graph()})
    recipe = RECIPE.model_copy(update={"model": model})
    (row,) = run_grid(grid([recipe], {}, [0]), catalog, tmp_path, say=lambda _: None).rows
    assert (row.groups, row.dim) == (16, 32)


def test_a_finished_run_leaves_no_stopwatch_behind(catalog, tmp_path):
    folder = tmp_path / "noise" / "seed-0"
    folder.mkdir(parents=True)
    (folder / "seconds.txt").write_text("1000.0\n")
    (row,) = run_grid(grid([RECIPE], {}, [0]), catalog, tmp_path, say=lambda _: None).rows
    assert row.seconds > 1000
    assert not (folder / "seconds.txt").exists()


def test_a_folder_belongs_to_one_grid_and_one_catalog(whole, catalog, tmp_path):
    copytree(whole.folder, tmp_path / "out")
    longer = RECIPE.model_copy(update={"train": RECIPE.train.model_copy(update={"epochs": 3})})
    other = run_grid(grid([longer], {}, [0]), catalog, tmp_path / "out", say=lambda _: None)
    assert "another recipe" in other.failures[0].reason
    fewer = catalog.subset(list(range(1, len(catalog))))
    with pytest.raises(UsageError, match="other pictures"):
        run_grid(grid([RECIPE], {}, [0]), fewer, tmp_path / "out", say=lambda _: None)


@pytest.mark.parametrize("member", get_args(get_args(BackboneConfig)[0]))
def test_every_backbone_has_a_label_that_tells_it_from_others(member):
    """Of a library's networks it is the name, of the others the kind."""
    named = "name" in member.model_fields
    config = member(name="one") if named else member()
    assert config.label == ("one" if named else config.kind)


def test_the_seconds_of_a_run_in_parts_are_added(tmp_path, monkeypatch):
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    first = Stopwatch(tmp_path)
    assert isinstance(first, Listener)
    now[0] = 107.0
    first.on_epoch(EpochEvent(1, 3, {}, False))
    now[0] = 109.0  # stopped within an epoch, which is trained again
    second = Stopwatch(tmp_path)
    now[0] = 112.0
    assert second.seconds == 7 + 3
    second.on_epoch(EpochEvent(2, 3, {}, False))
    assert Stopwatch(tmp_path).seconds == 10
