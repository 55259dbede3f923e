"""The public surface: a change of a public name or signature shows as a change of a text file.

`public_names.txt` holds the names that each package exports, and the signatures of the functions
that ARCHITECTURE promises and of the questions and comparisons. After an intended change, write it
anew with `python tests/test_public_names.py`.
"""

import inspect
import pkgutil
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

import lookalike as la

FILE = Path(__file__).with_name("public_names.txt")
FUNCTIONS: dict[str, Callable[..., object]] = {
    "load": la.load,
    "save": la.save,
    "create_model": la.create_model,
    "compare": la.compare,
    "evaluate": la.evaluate,
    "explain": la.explain,
    "Model.embed": la.Model.embed,
    "Model.embed_catalog": la.Model.embed_catalog,
    "Catalog.from_folder": la.Catalog.from_folder,
    "Catalog.from_csv": la.Catalog.from_csv,
    "Catalog.from_parquet": la.Catalog.from_parquet,
    "data.cub": la.data.cub,
    "data.cars": la.data.cars,
    "data.sop": la.data.sop,
    "data.inshop": la.data.inshop,
    "metrics.retrieval": la.metrics.retrieval,
    "metrics.clustering": la.metrics.clustering,
    "recipes.train": la.recipes.train,
    "recipes.run_demo": la.recipes.run_demo,
} | {
    f"questions.{name}": getattr(la.questions, name)
    for name in la.questions.__all__
    if inspect.isfunction(getattr(la.questions, name))
}


def packages() -> list[str]:
    """Return the library, its metrics and all packages that export names, but the command line."""
    found = [each.name for each in pkgutil.walk_packages(la.__path__, "lookalike.") if each.ispkg]
    exporting = [name for name in found if hasattr(import_module(name), "__all__")]
    rooms = (name for name in exporting if not name.startswith("lookalike.cli"))
    return ["lookalike", "lookalike.metrics", *rooms]


def signature(function: Callable[..., object]) -> str:
    """Return a signature without annotations, which say what type checkers check."""
    shown = inspect.signature(function)
    plain = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in shown.parameters.values()
    ]
    return str(shown.replace(parameters=plain, return_annotation=inspect.Signature.empty))


def public_names() -> str:
    """Return what the file should hold."""
    names = [f"{room}.{name}" for room in packages() for name in import_module(room).__all__]
    functions = [f"{name}{signature(function)}" for name, function in FUNCTIONS.items()]
    return "\n".join([*names, "", *functions, ""])


def test_the_public_surface_is_the_one_that_is_written_down():
    assert public_names().splitlines() == FILE.read_text("utf-8").splitlines()


@pytest.mark.parametrize("room", packages())
def test_every_exported_name_is_there_and_listed_once(room):
    module = import_module(room)
    assert len(set(module.__all__)) == len(module.__all__)
    assert all(hasattr(module, name) for name in module.__all__)


def test_the_tab_key_offers_the_public_names():
    assert set(dir(la)) == {*la.__all__, "__version__"}
    assert {"questions", "explanation", "evaluation", "training", "comparison"} <= set(dir(la))


def test_rooms_are_loaded_when_they_are_used():
    code = (
        "import sys, lookalike as la; early = sorted(m for m in sys.modules if 'lookalike.' in m);"
        "la.questions.why_above; print(early, 'lookalike.explanation.questions' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] True"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = la.nothing


if __name__ == "__main__":
    FILE.write_text(public_names(), "utf-8")
