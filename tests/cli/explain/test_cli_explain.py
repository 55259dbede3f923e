"""`lookalike explain`: a pair unless another command is named, and what groups look at."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lookalike.cli.app import app
from lookalike.cli.explain.groups import run_names
from lookalike.errors import CatalogError, CheckpointError, ImageError, UsageError


def explain(*arguments):
    return CliRunner().invoke(app, ["explain", *map(str, arguments)])


def asked(*arguments):
    """Return the error that a request ends with."""
    return explain("groups", *arguments, "--data", "data").exception


A, B = "data/a/0.png", "data/b/1.png"


@pytest.mark.parametrize(
    "words",
    [
        ["best", A, B, "--json"],
        ["--json", "best", A, B],
        ["pair", "best", A, B, "--json"],
        ["pair", "groups", A, B, "--json"],  # a run folder of this name
        ["./groups", A, B, "--json"],
    ],
)
def test_a_pair_is_explained_unless_another_command_is_named(place, words):
    done = explain(*words)
    assert done.exit_code == 0, done.output
    why = json.loads(done.stdout)
    assert [group["name"] for group in why["groups"]] == ["group 0", "group 1"]
    assert [picture["name"] for picture in why["pictures"]] == [A, B]


def test_groups_of_a_run_called_groups(place):
    done = explain("groups", "groups", "--data", "data", "--json")
    assert done.exit_code == 0, done.output
    assert [run["run"] for run in json.loads(done.stdout)["runs"]] == ["groups"]


def test_help_names_both_uses(place):
    shown = explain("--help")
    assert shown.exit_code == 0
    assert "explain pair RUN A B" in shown.output
    assert "groups RUN... --data DATA" in shown.output


@pytest.mark.parametrize("words", [[], ["best"], ["best", A], ["groups"]])
def test_what_is_missing_is_asked_for(place, words):
    done = explain(*words)
    assert done.exit_code == 2
    assert "Missing argument" in done.output


def test_runs_are_looked_at_side_by_side(place):
    done = explain(
        *("groups", "best", "other/best", "--data", "data", "--out", "new/pictures", "--json"),
        *("--picture", A, "--picture", B, "--count", 2, "--per-class", 0, "--shift", "down"),
        *("--scale", 0.5),
    )
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told == json.loads((place / "new/pictures/groups.json").read_text())
    assert told["pictures"] == [A, B]
    assert told["per_class"] is None
    first, second = told["runs"]
    assert first["run"] == f"{place.name}-best"
    assert (first["maps"], len(first["groups"])) == ("attention", 2)
    assert (second["run"], second["maps"]) == ("other-best", "token length")
    group = second["groups"][0]
    assert len(group["strongest"]) == 2
    assert {shift["along"] for shift in group["shifts"]} == {"down"}
    assert group["shifts"][0]["offsets"] == [0, 4, 8, 12, 16]
    assert (place / "new/pictures/shift-other-best.png").stat().st_size > 1000


def test_channels_of_the_masks_of_an_ensemble(place):
    done = explain(
        *("groups", "learners", "best", "--data", "data", "--out", "new", "--json"),
        *("--channels", "3, 1", "--count", 1, "--picture", A),
    )
    assert done.exit_code == 0, done.output
    learners, best = json.loads(done.stdout)["runs"]
    assert learners["masks"]["channels"] == [3, 1]
    assert learners["maps"] == "mask"
    assert best["masks"] is None
    assert (place / "new" / "masks-learners.png").stat().st_size > 1000
    assert not (place / "new" / "masks-best.png").exists()


def test_without_a_folder_the_numbers_are_printed_and_nothing_is_written(place):
    before = sorted(place.rglob("*"))
    done = explain("groups", "best", "--data", "data", "--groups", "1")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].startswith("best (attentive head)")
    assert len(lines) == 2
    assert lines[1].startswith("  group 1")
    assert sorted(place.rglob("*")) == before


@pytest.mark.parametrize(
    ("words", "kind", "message"),
    [
        (["best", "--picture", "none.png"], ImageError, "none.png"),
        (["best", "--groups", "0,7"], UsageError, "there is not group 7: best has 0 to 1"),
        (["best", "--groups", "0,one"], UsageError, "--groups 0,one: write numbers"),
        (["best", "--channels", "x"], UsageError, "--channels x: write numbers"),
        (["best", "--channels", "0"], UsageError, "no run has any"),
        (["data"], CheckpointError, "config.json"),
        (["best", "./best"], UsageError, "best is named twice"),
        (["best", "--split", "test"], CatalogError, "no splits"),
        (["best", "--out", A], UsageError, "this is a file"),
    ],
)
def test_wrong_requests_are_named(place, words, kind, message):
    error = asked(*words)
    assert isinstance(error, kind)
    assert message in str(error)


def test_data_without_pictures(place):
    (place / "empty").mkdir()
    error = explain("groups", "best", "--data", "empty").exception
    assert isinstance(error, CatalogError)
    assert "no pictures" in str(error)


def test_runs_are_named_by_what_tells_them_apart():
    assert run_names([Path("runs/a"), Path("runs/b")]) == ["a", "b"]
    assert run_names([Path("/x/1/best"), Path("/x/2/best"), Path("/x/2/last")]) == [
        "1-best",
        "2-best",
        "2-last",
    ]
    assert run_names([Path("/")]) == ["run"]
    with pytest.raises(UsageError, match="told apart"):
        run_names([Path("/1/best"), Path("/2/best"), Path("/1-best")])
