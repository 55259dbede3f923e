"""Questions on the command line: each command once, and what is asked wrongly."""

import json
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from lookalike.cli.app import app
from lookalike.data import write_parts
from lookalike.errors import CatalogError, CheckpointError, ImageError, UsageError
from lookalike.explanation.account.group_names import GroupNames
from lookalike.explanation.questions import QUESTIONS

A, B, C = "data/a/0.png", "data/a/1.png", "data/b/1.png"


def explain(*arguments):
    return CliRunner().invoke(app, ["explain", *map(str, arguments)])


def told(*arguments):
    """Return the JSON that a command prints."""
    done = explain(*arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


COMMANDS = {
    "pair": (A, B),
    "why-different": (A, C),
    "why-above": (A, B, C),
    "change": (A, B, "--below", 0.95),
    "results": (A, "data", "--k", 3),
    "mistake": ("data",),
    "worst": ("data",),
    "background": (A, B, "data", "--count", 3),
}


def run(command):
    return (command, "run", *COMMANDS[command])


@pytest.mark.parametrize("command", COMMANDS)
def test_each_question_is_answered_in_words_and_in_a_file(command, place):
    done = explain(*run(command), "--out", "answer.json")
    assert done.exit_code == 0, done.output
    sentences = json.loads((place / "answer.json").read_text())["sentences"]
    assert len(sentences) > 1
    assert all(sentence in done.stdout for sentence in sentences)


def test_an_answer_is_written_in_every_form_that_is_named(place):
    files = ("answer.png", "answer.html", "answer.json")
    done = explain(*run("why-above"), *(word for name in files for word in ("--out", name)))
    assert done.exit_code == 0, done.output
    assert (place / "answer.png").stat().st_size > 10_000
    page = (place / "answer.html").read_text()
    for sentence in json.loads((place / "answer.json").read_text())["sentences"]:
        assert sentence.replace("'", "&#39;") in page


def test_every_question_is_asked_here():
    assert set(COMMANDS) == {"pair", *QUESTIONS}


@pytest.mark.parametrize("command", COMMANDS)
def test_groups_have_the_names_of_the_run_or_of_a_file(command, place):
    names = [group["name"] for group in told(*run(command))["groups"]]
    assert names == ["ears (group 0)", "group 1"]
    Path("other.json").write_text('{"groups": [{"group": 1, "name": "tail"}]}')
    names = [group["name"] for group in told(*run(command), "--names", "other.json")["groups"]]
    assert names == ["group 0", "tail (group 1)"]


def test_the_graph_of_a_group_has_its_name(place):
    report = told("groups", "run", "--data", "data", "--count", 1)
    assert [group["name"] for group in report["runs"][0]["groups"]] == ["ears (group 0)", "group 1"]


def test_the_query_of_a_mistake_is_a_row_or_a_file(place):
    by_row = told("mistake", "run", "data", "--query", 3)
    assert by_row["rows"]["query"] == 3
    assert told("mistake", "run", "data", "--query", "data/b/1.png") == by_row


def test_the_worst_are_listed_and_the_first_is_explained(place):
    listed = told("worst", "run", "data")["queries"]
    margins = [each["margin"] for each in listed]
    assert margins == sorted(margins, reverse=True)
    assert all(margin > 0 for margin in margins)
    assert told("mistake", "run", "data")["rows"]["query"] == listed[0]["query"]["row"]
    lines = explain("worst", "run", "data", "--count", 1).stdout.splitlines()
    assert lines[-1].startswith(f"row {listed[0]['query']['row']} ")
    assert not lines[-2].startswith("row ")


def test_names_are_given_and_shown(place):
    shown = explain("name", "run")
    assert shown.stdout.splitlines() == ["group 0    ears", "1 of 2 groups without a name"]
    done = explain("name", "run", "--call", "1=the tail", "--out", "own.json")
    assert done.stdout.splitlines() == ["group 0    ears", "group 1    the tail"]
    assert "written to own.json" in done.stderr
    assert GroupNames.load(place / "run", groups=2).names == ("ears", None)
    assert GroupNames.read("own.json", groups=2).names == ("ears", "the tail")
    explain("name", "run", "--call", "0=nose")
    assert GroupNames.load(place / "run", groups=2).names == ("nose", None)


def test_names_come_from_known_parts(place):
    write_parts(place / "drawn", classes=3, images_per_class=2, seed=0)
    given = told(
        "name", "run", "drawn/catalog.csv", "--split", "all", "--at-least", 0, "--call", "1=tail"
    )
    assert given["groups"][1] == {"group": 1, "name": "tail", "share": None, "chance": None}
    first = given["groups"][0]
    if first["name"] is not None:
        assert first["share"] > first["chance"]
    kept = json.loads((place / "run" / "names.json").read_text())["groups"]
    assert kept == [group for group in given["groups"] if group["name"] is not None]


def test_names_of_groups_from_a_file(place):
    Path("other.json").write_text('{"groups": [{"group": 1, "name": "tail"}]}')
    words = ("groups", "run", "--data", "data", "--count", 1, "--names", "other.json")
    report = told(*words)
    assert [group["name"] for group in report["runs"][0]["groups"]] == ["group 0", "tail (group 1)"]


def test_goals(place):
    percentile = told("change", "run", A, B, "--below-percentile", 95)
    assert percentile["before"]["bar"] == pytest.approx(0.9)
    rank = told("change", "run", A, B, "--gallery", "data", "--out-of-top", 2, "--fill", "mean")
    assert rank["fill"] == "mean"
    assert 1 <= rank["before"]["rank"] <= 5


@pytest.mark.parametrize(
    ("words", "kind", "says"),
    [
        (["why-above", "run", A, B, "gone.png"], ImageError, "gone.png"),
        (["why-above", "run", A, B, C, "--out", "a.pdf"], UsageError, "ends in .png"),
        (["why-above", "run", A, B, C, "--out", "no/a.png"], UsageError, "there is no folder no"),
        (["why-above", "run", A, B, C, "--names", "gone"], CheckpointError, "gone"),
        (["why-different", "run", A, "gone.png"], ImageError, "gone.png"),
        (["name", "run", "--call", "ears"], UsageError, "write it as GROUP=NAME"),
        (["name", "run", "--call", "0="], UsageError, "write it as GROUP=NAME"),
        (["name", "run", "--call", "2=tail"], UsageError, "no group 2 to name"),
        (["name", "run", "data"], UsageError, "no parts are known"),
        (["name", "run", "--call", "0=a", "--out", "no/n.json"], UsageError, "no folder no"),
        (
            ["groups", "run", "other", "--data", "data", "--names", "run/names.json"],
            UsageError,
            "names the groups of one run",
        ),
        (["pair", "run", A, B, C], UsageError, "explain why-above RUN A B C"),
        (["change", "run", A, B], UsageError, "name one goal"),
        (["change", "run", A, B, "--below", 0, "--below-percentile", 5], UsageError, "one goal"),
        (["change", "run", A, B, "--below", -1], UsageError, "never below -1"),
        (["change", "run", A, B, "--below-percentile", 101], UsageError, "between 0 and 100"),
        (["change", "run", A, B, "--out-of-top", 2], UsageError, "go together"),
        (
            ["change", "run", A, B, "--gallery", "data", "--out-of-top", 5],
            UsageError,
            "choose from 1 to 4",
        ),
        (["results", "run", A, "data", "--k", 6], UsageError, "choose from 1 to 5"),
        (["results", "run", A, "nowhere"], CatalogError, "nowhere"),
        (["mistake", "run", "data", "--query", 6], UsageError, "no such row"),
        (["mistake", "run", "data", "--query", "gone.png"], UsageError, "not a picture of"),
        (["mistake", "run", "data/a"], CatalogError, "data/a"),
        (["worst", "run", "one"], UsageError, "give a catalog with labels"),
        (["background", "run", A, B, "data", "--count", 5], UsageError, "choose from 1 to 4"),
        (["background", "run", A, B, "data", "--seed", -1], UsageError, "choose 0 or more"),
        (["change", "run", A, B, "--below", 0, "--cells", 0], UsageError, "0 cells"),
        (["change", "run", A, B, "--below", 0, "--tries", 0], UsageError, "at least one cell"),
        (["change", "run", A, B, "--below", 0, "--budget", -1], UsageError, "0 or more versions"),
        (["results", "run", A, "data", "--k", 0], UsageError, "choose from 1 to 5"),
        (["worst", "run", "data", "--count", 0], UsageError, "at least one query"),
    ],
)
def test_what_is_asked_wrongly_is_said_in_a_line(words, kind, says, place):
    (place / "one" / "only").mkdir(parents=True)
    for name in ("0", "1"):
        Image.new("RGB", (20, 20)).save(place / "one" / "only" / f"{name}.png")
    error = explain(*words).exception
    assert isinstance(error, kind)
    assert says in str(error)
    assert "\n" not in str(error)


def test_a_third_picture_is_asked_for(place):
    done = explain("why-above", "run", A, B)
    assert done.exit_code == 2
    assert "Missing argument" in done.output


def test_a_table_without_labels(place):
    Path("table.csv").write_text(f"path\n{A}\n")
    error = explain("mistake", "run", "table.csv").exception
    assert isinstance(error, CatalogError)
    assert "label" in str(error)
