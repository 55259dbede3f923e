"""The shape of the code: no import circles, small folders, one meaning a name, no class checks.

Every import counts, also one inside a function and one for type checkers alone. A name that a
package only hands on is followed to the file that defines it.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "lookalike"
FILES = sorted(SOURCE.rglob("*.py"))
LINES_OF_ALL_FILES = 31_925
"""What there is today: it may only fall. The aim is 28,000."""
LINES_OF_A_FILE = 400
FILES_OF_A_FOLDER = 15
ROOMS_OF_METHODS = ("heads", "similarity")


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in FILES}


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def imported(module: str) -> Iterator[tuple[str, str | None]]:
    """Yield what a module imports: a module, and the name taken from it."""
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, alias.name) for alias in node.names)


@cache
def handed_on(package: str) -> dict[str, tuple[str, str]]:
    """Return the names that a package's `__init__` only imports, with where it has them from."""
    return {
        alias.asname or alias.name: (node.module, alias.name)
        for node in tree_of(package).body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def defining(module: str, name: str | None) -> str | None:
    """Return the module of ours that defines an imported name; None for other libraries."""
    if name is not None and f"{module}.{name}" in MODULES:
        return f"{module}.{name}"
    if module not in MODULES:
        return None
    if MODULES[module].name == "__init__.py" and name in handed_on(module):
        return defining(*handed_on(module)[name])
    return module


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected components of more than one module (Tarjan 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            component = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(component) > 1:
                found.append(sorted(component))

    for node in graph:
        if node not in index:
            visit(node)
    return found


def test_circles_are_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]


def test_no_files_import_each_other_in_a_circle():
    graph = {
        module: {
            found
            for each in imported(module)
            if (found := defining(*each)) is not None and found != module
        }
        for module in MODULES
    }
    assert circles(graph) == []


def classes_of_methods() -> set[str]:
    return {
        node.name
        for module in MODULES
        if module.split(".")[1:2] and module.split(".")[1] in ROOMS_OF_METHODS
        for node in tree_of(module).body
        if isinstance(node, ast.ClassDef)
    }


def test_nobody_outside_their_rooms_asks_what_class_a_head_or_a_similarity_is():
    known = classes_of_methods()
    asked = []
    for module in MODULES:
        if module.split(".")[1:2] and module.split(".")[1] in ROOMS_OF_METHODS:
            continue
        for node in ast.walk(tree_of(module)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in {"isinstance", "issubclass"}
            ):
                names = {each.id for each in ast.walk(node.args[1]) if isinstance(each, ast.Name)}
                names |= {
                    each.attr for each in ast.walk(node.args[1]) if isinstance(each, ast.Attribute)
                }
                asked += [f"{module}:{node.lineno} {name}" for name in names & known]
            if isinstance(node, ast.MatchClass):
                asked += [f"{module}:{node.cls.lineno}"] * (ast.unparse(node.cls) in known)
    assert asked == []


def test_nobody_outside_their_rooms_asks_for_the_kind_of_a_head_or_a_similarity():
    from lookalike.heads import HeadConfig
    from lookalike.similarity import SimilarityConfig

    kinds = {
        member.model_fields["kind"].default
        for union in (HeadConfig, SimilarityConfig)
        for member in union.__origin__.__args__
    }
    asked = []
    for module in MODULES:
        if module.split(".")[1:2] and module.split(".")[1] in ROOMS_OF_METHODS:
            continue
        for node in ast.walk(tree_of(module)):
            if isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
                told = {
                    each.value
                    for side in sides
                    for each in ast.walk(side)
                    if isinstance(each, ast.Constant)
                }
                by_kind = any(
                    isinstance(each, ast.Attribute) and each.attr == "kind"
                    for side in sides
                    for each in ast.walk(side)
                )
                if by_kind and told & kinds:
                    asked.append(f"{module}:{node.lineno}")
            if isinstance(node, ast.Dict):
                keys = {key.value for key in node.keys if isinstance(key, ast.Constant)}
                if len(keys & kinds) > 1:
                    asked.append(f"{module}:{node.lineno}")
    assert asked == []


def test_a_class_name_has_one_meaning():
    where = defaultdict(list)
    for module in MODULES:
        for node in tree_of(module).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                where[node.name].append(module)
    assert {name: places for name, places in where.items() if len(places) > 1} == {}


@pytest.mark.parametrize("root", [SOURCE, ROOT / "tests", ROOT / "benchmarks"])
def test_no_folder_has_many_files(root):
    counts = {
        str(folder.relative_to(ROOT)): len(list(folder.glob("*.py")))
        for folder in (root, *root.rglob("*/"))
    }
    assert {name: n for name, n in counts.items() if n > FILES_OF_A_FOLDER} == {}


def test_files_are_short_and_all_of_them_together_too():
    lines = {str(path.relative_to(ROOT)): path.read_text().count("\n") for path in FILES}
    assert {name: n for name, n in lines.items() if n > LINES_OF_A_FILE} == {}
    assert sum(lines.values()) <= LINES_OF_ALL_FILES
