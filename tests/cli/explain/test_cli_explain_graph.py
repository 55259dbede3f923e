"""`lookalike explain RUN A B [C] --graph FOLDER`."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from typer.testing import CliRunner

from lookalike import checkpoint
from lookalike.cli.app import app
from lookalike.errors import UsageError
from lookalike.heads import Levels, Single
from lookalike.model import create_model
from lookalike.preprocessing import Preprocessing
from lookalike.similarity import Graph


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    """A folder with pictures 0 to 2 and runs called graph and plain."""
    rng = np.random.default_rng(0)
    for number in range(3):
        pixels = rng.integers(0, 255, (20, 20, 3), np.uint8)
        Image.fromarray(pixels).save(tmp_path / f"{number}.png")
    torch.manual_seed(0)
    p = Preprocessing(size=32)
    graph = create_model(
        "tiny", head=Levels(stages=(0, 1)), dim=8, similarity=Graph(k=2), preprocessing=p
    )
    graph.similarity.observe(graph.train()(torch.randn(2, 3, 32, 32)))
    graph.similarity.settle()
    checkpoint.save(graph, tmp_path / "graph")
    checkpoint.save(create_model("tiny", head=Single(), dim=8), tmp_path / "plain")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def undrawn(monkeypatch):
    """The report of a graph without its files, which take seconds to draw."""
    from lookalike.explanation import GraphReport

    monkeypatch.setattr(GraphReport, "save", lambda report, folder: [Path(folder) / "graph.html"])


def explain(*arguments):
    return CliRunner().invoke(app, ["explain", *map(str, arguments)])


def test_a_pair(place, undrawn):
    done = explain("graph", "0.png", "1.png", "--graph", "new/figures", "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert [group["name"] for group in told["groups"]] == ["level 1", "level 2"]
    assert "open new/figures/graph.html" in done.stderr


def test_a_triplet(place, undrawn):
    words = ("graph", "0.png", "1.png", "2.png", "--graph", "out")
    done = explain(*words, "--out", "ab.json", "--json")
    assert done.exit_code == 0, done.output
    first, second = json.loads(done.stdout)
    assert [picture["name"] for picture in first["pictures"]] == ["0.png", "1.png"]
    assert [picture["name"] for picture in second["pictures"]] == ["0.png", "2.png"]
    assert json.loads((place / "ab.json").read_text()) == first
    told = explain(*words).stdout
    assert told.count("similarity ") == told.count("gap ") == 2


def test_figures_of_a_triplet(place):
    done = explain("graph", "0.png", "1.png", "2.png", "--graph", "out")
    assert done.exit_code == 0, done.output
    files = {path.name for path in (place / "out").iterdir()}
    pictures = {f"{name}.png" for name in ("nodes", "tree", "spread", "maps-b", "maps-c")}
    assert files == {"graph.html", *pictures}


def test_nodes_have_names_with_figures_and_without(place, undrawn):
    nodes = checkpoint.load(place / "graph").head.groups
    named = [{"group": node, "name": f"part {node}"} for node in range(nodes)]
    (place / "names.json").write_text(json.dumps({"groups": named}))
    for more in ((), ("--graph", "out")):
        done = explain("graph", "0.png", "1.png", "--names", "names.json", "--json", *more)
        assert json.loads(done.stdout)["node_names"][1] == "part 1"


def test_a_graph_is_explained_without_figures_too(place):
    before = sorted(place.iterdir())
    done = explain("graph", "0.png", "1.png")
    assert done.exit_code == 0, done.output
    assert [line.split()[0] for line in done.stdout.splitlines()] == [
        *("similarity", "level", "level", "gap", "Set", "Set", "Nodes")
    ]
    assert sorted(place.iterdir()) == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["graph", "0.png", "1.png", "2.png"], "a third picture, 2.png, is for --graph"),
        (["plain", "0.png", "1.png", "--graph", "out"], "similarity is cosine"),
    ],
)
def test_wrong_requests_are_named(place, words, message):
    error = explain(*words).exception
    assert isinstance(error, UsageError)
    assert message in str(error)
    assert not (place / "out").exists()
