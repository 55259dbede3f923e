"""`lookalike evaluate --explanations`."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lookalike.cli.app import app
from lookalike.errors import CheckpointError, UsageError
from lookalike.explanation.saliency import METHODS

QUICK = ("--set", "clustering=false", "--methods", "exact,random", "--pairs", 2)


def evaluate(*arguments):
    return CliRunner().invoke(app, ["evaluate", *map(str, arguments)])


def test_the_report_is_written_beside_what_is_always_measured(place):
    done = evaluate("run", "data", "--explanations", "new/out", *QUICK)
    assert done.exit_code == 0, done.output
    assert sorted(file.name for file in (place / "new" / "out").iterdir()) == [
        "explanations.html",
        "explanations.json",
        "explanations.md",
    ]
    assert "recall_at_1" in done.stdout
    assert "2 pairs; attentive head of 2 groups on tiny" in done.stdout
    assert "! left out, localisation: " in done.stdout
    assert "open new/out/explanations.html" in done.stderr


def test_pictures_are_called_what_they_were_called(place):
    (place / "list.csv").write_text("path,label\ndata/a/0.png,a\ndata/a/1.png,a\n")
    done = evaluate("run", "list.csv", "--explanations", "out", *QUICK)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert "list.csv: 2 pictures of 1 classes" in lines
    (left_out,) = (line for line in lines if line.startswith("! left out, localisation"))
    assert left_out.startswith("! left out, localisation: list.csv: no parts are known")
    assert left_out.endswith("drawn by `lookalike data draw`")


def test_json_holds_both(place):
    done = evaluate("run", "data", "--explanations", "out", "--json", *QUICK)
    assert done.exit_code == 0, done.output
    both = json.loads(done.stdout)
    assert set(both["metrics"]) >= {"recall_at_1", "map_at_r"}
    assert both["explanations"] == json.loads(Path("out/explanations.json").read_text())
    assert both["explanations"]["methods"] == ["exact", "random"]
    assert both["explanations"]["pairs"] == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--pairs", 5], "--pairs needs --explanations FOLDER"),
        (["--methods", "exact"], "--methods needs --explanations FOLDER"),
        (
            ["--explanations", "out", "--methods", "exact,lime"],
            "--methods exact,lime: there is no method 'lime'; there are exact, ",
        ),
        (["--explanations", "out", "--methods", ""], "there is no method ''"),
        (["--explanations", "run/config.json"], "this is a file; name a folder"),
    ],
)
def test_a_wrong_request_is_refused_before_the_work(place, options, words):
    done = evaluate("run", "data", *options)
    assert isinstance(done.exception, UsageError)
    assert words in str(done.exception)
    assert done.stdout == ""
    assert not Path("out").exists()


def test_no_folder_is_left_where_there_is_no_run(place):
    done = evaluate("nothing", "data", "--explanations", "out")
    assert isinstance(done.exception, CheckpointError)
    assert not Path("out").exists()


def test_at_least_one_pair(place):
    assert evaluate("run", "data", "--explanations", "out", "--pairs", 0).exit_code == 2


def test_a_method_of_one_s_own_is_listed_and_chosen_by_its_name(place, monkeypatch):
    monkeypatch.setitem(METHODS, "mine", replace(METHODS["random"], seed=7))
    done = evaluate("run", "data", "--explanations", "out", "--methods", "nobodys")
    assert str(done.exception).endswith(", random, mine")
    done = evaluate("run", "data", "--explanations", "out", *QUICK, "--methods", "mine")
    assert done.exit_code == 0, done.output
    assert "random  " in done.stdout
