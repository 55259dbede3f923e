"""The examples of docs/extending.md, added to a copy of the library, are where they should be."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^`(src/[\w/.]+)`:\n\n```(python|diff)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
MOST_FILES = {
    "A head": 3,
    "A loss": 3,
    "A question": 2,
    "A measure of explanations": 2,
    "A saliency method": 2,
    "A retrieval metric": 2,
}

SECTIONS = {
    part.partition("\n")[0]: part for part in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
}


def blocks_of(title: str) -> list[tuple[str, str, str]]:
    return BLOCK.findall(SECTIONS[title])


def change(text: str, diff: str) -> str:
    """Return a file's text with one change made; the old lines must be there once."""
    lines = diff.splitlines(keepends=True)
    old = "".join(line[1:] for line in lines if line[0] in " -")
    new = "".join(line[1:] for line in lines if line[0] in " +")
    assert text.count(old) == 1, f"not there once:\n{old}"
    return text.replace(old, new)


@pytest.mark.parametrize(("title", "most"), MOST_FILES.items())
def test_an_addition_touches_few_files(title, most):
    files = {name for name, _, _ in blocks_of(title)}
    assert 0 < len(files) <= most


@pytest.fixture(scope="module")
def extended(tmp_path_factory) -> Path:
    """Copy the library and make every addition of the page."""
    root = tmp_path_factory.mktemp("extended")
    shutil.copytree(
        ROOT / "src" / "lookalike",
        root / "src" / "lookalike",
        ignore=shutil.ignore_patterns("__pycache__", "images"),
    )
    for title in MOST_FILES:
        for name, kind, code in blocks_of(title):
            path = root / name
            if kind == "python":
                assert not path.exists()
                path.write_text(code, encoding="utf-8")
            else:
                path.write_text(change(path.read_text(encoding="utf-8"), code), encoding="utf-8")
    return root


def test_each_addition_is_everywhere_it_should_be(extended, tmp_path):
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "error",
            str(Path(__file__).with_name("extended_library.py")),
            tmp_path,
        ],
        cwd=tmp_path,
        env={"PYTHONPATH": str(extended / "src"), "PATH": "", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
