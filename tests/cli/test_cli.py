"""The command line as a person meets it: results on stdout, trouble on stderr, exit codes."""

import json
import subprocess
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from PIL import Image

from lookalike.cli import main

TINY = """
model:
  backbone: {kind: tiny, channels: [8, 16]}
  head: {kind: attentive, groups: 2}
  dim: 16
  preprocessing: {size: 32, fit: stretch}
augmentation: {crop: none}
train: {epochs: 2, classes_per_batch: 3, images_per_class: 2, validation_share: 0.34}
evaluation: {ks: [1, 2], seeds: [0]}
"""


class Done(NamedTuple):
    """What a command printed, and how it ended."""

    returncode: int
    stdout: str
    stderr: str


def lookalike(*arguments: object) -> Done:
    """Run a command in this process, as `main` does."""
    out, err = StringIO(), StringIO()
    before, shown = sys.argv, warnings.showwarning
    sys.argv = ["lookalike", *map(str, arguments)]
    code = 0
    try:
        with redirect_stdout(out), redirect_stderr(err), warnings.catch_warnings():
            warnings.simplefilter("default")
            main()
    except SystemExit as exit_:
        code = int(exit_.code or 0)
    finally:
        sys.argv, warnings.showwarning = before, shown
    return Done(code, out.getvalue(), err.getvalue())


@pytest.fixture(autouse=True, scope="module")
def wide_terminal():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "200")
        patch.setenv("NO_COLOR", "1")
        yield


@pytest.fixture(scope="module")
def pictures(tmp_path_factory) -> Path:
    """Ten classes of four pictures: a colour with noise, told apart by anything that learns."""
    root = tmp_path_factory.mktemp("pictures with space")
    rng = np.random.default_rng(0)
    for label in range(10):
        folder = root / f"class {label}"
        folder.mkdir()
        colour = rng.integers(0, 255, 3)
        for i in range(4):
            noise = rng.normal(0, 20, (40, 48, 3))
            pixels = np.clip(colour + noise, 0, 255).astype(np.uint8)
            Image.fromarray(pixels).save(folder / f"{i} #ü.png")
    return root


@pytest.fixture(scope="module")
def run(pictures, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    (folder / "tiny.yaml").write_text(TINY)
    done = lookalike(
        "train", pictures, "--out", folder / "run", "--config", folder / "tiny.yaml", "--json"
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert 0 <= report["metrics"]["recall_at_1"] <= 1
    return folder / "run"


def test_a_run_folder_holds_all_that_is_promised(run):
    names = {path.name for path in run.iterdir()}
    assert {"model.safetensors", "config.json", "log.jsonl", "report.json", "resume.pt"} <= names
    config = json.loads((run / "config.json").read_text())
    assert config["recipe"]["train"]["epochs"] == 2
    assert config["preprocessing"]["size"] == 32
    assert len(config["class_names"]) == 5
    assert config["calibration"] is not None
    assert {"torch", "lookalike"} <= set(config["versions"])
    assert config["data"]["test"] == {"images": 12, "classes": 3}


def test_evaluate_prints_a_table_or_json(run, pictures, tmp_path):
    table = lookalike("evaluate", run, pictures, "--set", "clustering=false")
    assert table.returncode == 0, table.stderr
    assert "recall_at_1" in table.stdout
    out = tmp_path / "r.md"
    asked = lookalike("evaluate", run, pictures, "--json", "--out", out, "--set", "seeds=[0]")
    assert json.loads(asked.stdout)["counts"]["queries"] == 40
    assert "| recall_at_1 |" in out.read_text()


def test_embed_writes_vectors_whose_inner_product_is_the_score(run, pictures, tmp_path):
    import pyarrow.parquet as pq

    import lookalike as la

    out = tmp_path / "e.parquet"
    done = lookalike("embed", run, pictures, "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["images"] == 40
    table = pq.read_table(out).to_pydict()
    assert list(table) == ["path", "label", "row", "vector"]
    model = la.load(run)
    pair = model.embed([table["path"][0], table["path"][39]])
    score = float(model.similarity.matrix(pair[:1], pair[1:]))
    assert np.dot(table["vector"][0], table["vector"][39]) == pytest.approx(score, abs=1e-5)


def test_explain_writes_picture_page_and_numbers(run, pictures, tmp_path):
    a, b = pictures / "class 0" / "0 #ü.png", pictures / "class 1" / "1 #ü.png"
    files = [tmp_path / f"why.{kind}" for kind in ("png", "html", "json")]
    outs = [word for file in files for word in ("--out", file)]
    done = lookalike("explain", run, a, b, *outs, "--json")
    assert done.returncode == 0, done.stderr
    why = json.loads(done.stdout)
    assert why["gap"] <= 1e-5
    assert sum(group["value"] for group in why["groups"]) == pytest.approx(why["score"], abs=1e-5)
    assert all(file.stat().st_size > 1000 for file in files)


def test_data_check_says_and_exits(pictures, tmp_path):
    assert lookalike("data", "check", pictures).returncode == 0
    bad = tmp_path / "tree" / "a"
    bad.mkdir(parents=True)
    (bad / "x.jpg").write_text("no picture")
    done = lookalike("data", "check", bad.parent, "--json")
    assert done.returncode == 1
    assert any("x.jpg" in finding["path"] for finding in json.loads(done.stdout)["findings"])


def test_recipe_show_gives_yaml_that_train_takes_back(tmp_path):
    shown = lookalike("recipe", "show", "starter", "--set", "train.epochs=3")
    assert shown.returncode == 0, shown.stderr
    path = tmp_path / "mine.yaml"
    path.write_text(shown.stdout)
    again = lookalike("recipe", "show", "emoji", "--config", path)
    assert again.stdout == shown.stdout
    assert "epochs: 3" in again.stdout
    assert {"starter", "emoji"} <= set(json.loads(lookalike("recipe", "list", "--json").stdout))


WRONG = [
    (["train", "{tmp}/none", "--out", "{tmp}/r"], 2, "none"),
    (["train", "{data}", "--out", "{tmp}/r", "--recipe", "nope"], 2, "starter, emoji"),
    (["train", "{data}", "--out", "{tmp}/r", "--set", "train.epoch=3"], 2, "train.epoch"),
    (["train", "{data}", "--out", "{tmp}/r", "--set", "train.epochs=many"], 2, "train.epochs"),
    (["train", "{data}", "--out", "{run}"], 2, "--resume"),
    (["train", "{data}", "--out", "{run}", "--resume", "--set", "seed=3"], 2, "seed"),
    (["evaluate", "{tmp}", "{data}"], 1, "config.json"),
    (["evaluate", "{run}", "{data}", "--split", "train"], 2, "no splits"),
    (["evaluate", "{run}", "{data}", "--out", "{tmp}/r.txt"], 2, ".json or .md"),
    (["embed", "{run}", "{data}", "--out", "{tmp}/e.csv"], 2, ".parquet"),
    (["explain", "{run}", "{tmp}/a.png", "{tmp}/b.png"], 1, "a.png"),
    (["explain", "{run}", "{tmp}", "{tmp}", "--out", "{tmp}/w.pdf"], 2, ".html"),
    (["explain", "{run}"], 2, "Missing argument"),
    (["recipe", "show", "none"], 2, "none"),
]


@pytest.mark.parametrize(("command", "code", "words"), WRONG, ids=lambda value: str(value)[:60])
def test_wrong_requests_are_named_without_a_traceback(
    command, code, words, run, pictures, tmp_path
):
    places = {"tmp": tmp_path, "data": pictures, "run": run}
    done = lookalike(*(word.format(**places) for word in command))
    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_process_of_its_own_ends_with_the_exit_code():
    command = [sys.executable, "-c", "from lookalike.cli import main; main()"]
    shown = ["recipe", "show", "nothing"]
    done = subprocess.run([*command, *shown], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: there is no recipe 'nothing'")


def test_heavy_imports_wait_for_the_command():
    """`--help` starts no torch: its time is Typer's. Seconds are measured in benchmarks/."""
    code = (
        "import sys\n"
        "from lookalike.cli.app import app\n"
        "heavy = {'torch', 'timm', 'numpy', 'matplotlib', 'sklearn', 'PIL'} & set(sys.modules)\n"
        "print(sorted(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
