"""What each question asks for, read from its source text.

Importing the questions takes seconds, as they need torch, and `--help` must be quick. So the list
of questions, their signatures and their docstrings are parsed here and not imported.
"""

import ast
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import lookalike

FOLDER = Path(lookalike.__file__).parent / "explanation" / "questions"
REGISTRY = "QUESTIONS"


@dataclass(frozen=True, slots=True)
class QuestionParameter:
    """One parameter of the function that answers a question.

    Args:
        name: In the signature.
        annotation: Its type as it is written there.
        default: Its default; `...` without one.
        meaning: What the docstring says about it.
    """

    name: str
    annotation: str
    default: Any
    meaning: str


@dataclass(frozen=True, slots=True)
class QuestionSource:
    """The function that answers a question, as far as its source text says.

    Args:
        command: The name of its command.
        module: Where it is.
        function: Its name.
        help: The first paragraphs of its docstring, up to its arguments.
        parameters: In the order of the signature.
    """

    command: str
    module: str
    function: str
    help: str
    parameters: tuple[QuestionParameter, ...]

    def load(self) -> Callable[..., Any]:
        """Import the function."""
        function: Callable[..., Any] = getattr(import_module(self.module), self.function)
        return function


def read_questions(folder: Path = FOLDER) -> list[QuestionSource]:
    """Read the questions that the registry of a package names, in its order."""
    body = _parsed(folder / "__init__.py")
    modules = {
        name.name: str(statement.module)
        for statement in body
        if isinstance(statement, ast.ImportFrom)
        for name in statement.names
    }
    registry = next(each.value for each in body if _assigns(each, REGISTRY))
    return [
        _question(folder, ast.literal_eval(command), modules[function.id], function.id)
        for command, function in zip(registry.keys, registry.values, strict=True)
    ]


def _parsed(path: Path) -> list[Any]:
    return ast.parse(path.read_text(encoding="utf-8")).body


def _assigns(statement: ast.stmt, name: str) -> bool:
    return isinstance(statement, ast.AnnAssign) and ast.unparse(statement.target) == name


def _question(folder: Path, command: str, module: str, function: str) -> QuestionSource:
    body = _parsed(folder / f"{module.rpartition('.')[2]}.py")
    found = next(
        each for each in body if isinstance(each, ast.FunctionDef) and each.name == function
    )
    told, _, described = (ast.get_docstring(found) or "").partition("\n\nArgs:\n")
    meanings = _meanings(described)
    given = found.args.args, [None] * (len(found.args.args) - len(found.args.defaults))
    parameters = [
        *zip(given[0], [*given[1], *found.args.defaults], strict=True),
        *zip(found.args.kwonlyargs, found.args.kw_defaults, strict=True),
    ]
    return QuestionSource(
        command=command,
        module=module,
        function=function,
        help="\n\n".join(" ".join(paragraph.split()) for paragraph in told.split("\n\n")),
        parameters=tuple(
            QuestionParameter(
                name=name.arg,
                annotation=ast.unparse(name.annotation) if name.annotation else "",
                default=... if default is None else ast.literal_eval(default),
                meaning=meanings.get(name.arg, ""),
            )
            for name, default in parameters
        ),
    )


def _meanings(described: str) -> dict[str, str]:
    """Read the lines `name: meaning` of a docstring; deeper lines go on with the meaning."""
    arguments = textwrap.dedent(described.partition("\n\n")[0])
    entries: list[str] = []
    for line in arguments.splitlines():
        if line.startswith(" "):
            entries[-1] += f" {line.strip()}"
        else:
            entries.append(line)
    return {name: text for name, _, text in (entry.partition(": ") for entry in entries)}
