"""One command of `lookalike explain` from each question: its options from the function's signature.

The type of a parameter, as it is written, says what stands for it on the command line:

- `Model` is the run folder, `Picture` a file, `Catalog` the data with its options;
- `Goal` is the options of which one is to be named, `int | Picture | None` a row or a file;
- `GroupNames | None` is `--names`, and `Progress | None` is a bar that needs no option;
- numbers, words and `Literal` are options of their own, described as in the docstring.
"""

import ast
import inspect
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli.explain.answers import (
    DATA,
    Files,
    Names,
    Run,
    Split,
    open_run,
    require_files,
)
from lookalike.cli.explain.question_source import QuestionParameter, QuestionSource
from lookalike.cli.selection import AllowPartial, ColumnNames, open_catalog
from lookalike.cli.settings import Json
from lookalike.errors import UsageError

if TYPE_CHECKING:
    from lookalike.data import Catalog
    from lookalike.explanation.questions import Goal

PLAIN = {"int": int, "float": float, "str": str, "bool": bool}
HIDDEN = ("batch_size",)
"""Parameters that the command line leaves at their defaults."""


def command_of(question: QuestionSource) -> Callable[..., None]:
    """Make a command for Typer from a question."""

    def command(**chosen: Any) -> None:  # noqa: ANN401
        _answer(question, chosen)

    options = [option for each in question.parameters for option in _options(each)]
    kinds = {each.annotation for each in question.parameters}
    takes_data = not kinds.isdisjoint({"Catalog", "Goal"})
    if takes_data:
        options.append(_option("split", Split, None))
    options += [_option("out", Files, None), _option("names", Names, None)]
    if takes_data:
        options.append(_option("columns", ColumnNames, None))
        options.append(_option("allow_partial", AllowPartial, False))
    options.append(_option("as_json", Json, False))
    command.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    command.__doc__ = question.help
    return command


def _option(name: str, kind: Any, default: Any = ...) -> inspect.Parameter:  # noqa: ANN401
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, keyword, annotation=kind, default=default)


def _options(parameter: QuestionParameter) -> Iterator[inspect.Parameter]:
    """Return the arguments and options of a parameter, without those that every command has."""
    name, kind, text = parameter.name, parameter.annotation, parameter.meaning
    match kind:
        case "Model":
            yield _option("run", Run)
        case "Picture":
            yield _option(name, Annotated[Path, typer.Argument(help=text)])
        case "Catalog":
            yield _option("data", Annotated[Path, typer.Argument(help=DATA)])
        case "Goal":
            yield from _goal_options()
        case "int | Picture | None":
            row_or_path = typer.Option(metavar="ROW_OR_PATH", help=text)
            yield _option(name, Annotated[str | None, row_or_path], None)
        case "GroupNames | None" | "Progress | None":
            pass
        case _ if name not in HIDDEN:
            plain = PLAIN.get(kind) or _choices(name, kind)
            yield _option(name, Annotated[plain, typer.Option(help=text)], parameter.default)


def _choices(name: str, kind: str) -> Any:  # noqa: ANN401
    """Make an enumeration of the words of a `Literal`."""
    if not kind.startswith("Literal["):
        raise TypeError(f"{name}: {kind}: no option of the command line stands for this type")
    return StrEnum(name, [(word, word) for word in ast.literal_eval(kind.removeprefix("Literal"))])


def _goal_options() -> Iterator[inspect.Parameter]:
    for name, kind, metavar, text in (
        ("below", float, None, "Bring the similarity below this number."),
        (
            "below_percentile",
            float,
            None,
            "Below what this percentage of different pairs stay below.",
        ),
        ("gallery", Path, None, "With --out-of-top: the pictures that B competes with."),
        ("out_of_top", int, "K", "Bring B out of the first K of --gallery."),
    ):
        option = typer.Option(metavar=metavar, help=text)
        yield _option(name, Annotated[kind | None, option], None)


def _answer(question: QuestionSource, chosen: dict[str, Any]) -> None:
    """Ask a question, write its answer to files, and print it."""
    from lookalike.cli.console import bar

    require_files(chosen["out"])
    # Wrong requests are found before the model is loaded, which takes longer.
    catalog = _catalog(chosen)
    values = {each.name: _value(each, chosen, catalog) for each in question.parameters}
    model, names = open_run(chosen["run"], chosen["names"])
    with bar("answering") as progress:
        opened = {"Model": model, "GroupNames | None": names, "Progress | None": progress}
        for each in question.parameters:
            values[each.name] = opened.get(each.annotation, values[each.name])
        answer = question.load()(**values)
    for path in chosen["out"] or []:
        answer.save(path)
    typer.echo(answer.to_json() if chosen["as_json"] else str(answer))


def _catalog(chosen: dict[str, Any]) -> "Catalog | None":
    data = chosen.get("data") or chosen.get("gallery")
    if data is None:
        return None
    return open_catalog(
        data, chosen["columns"], split=chosen["split"], allow_partial=chosen["allow_partial"]
    )


def _value(parameter: QuestionParameter, chosen: dict[str, Any], catalog: "Catalog | None") -> Any:  # noqa: ANN401
    """Return the value of a parameter; its default where no option stands for it."""
    value = chosen.get(parameter.name, parameter.default)
    if parameter.annotation == "Catalog":
        return catalog
    if parameter.annotation == "Goal":
        return _goal(chosen, catalog)
    if isinstance(value, StrEnum):
        return value.value
    if (
        parameter.annotation == "int | Picture | None"
        and catalog is not None
        and value
        and value.isdecimal()
    ):
        return _row(catalog, int(value))
    return value


def _goal(chosen: dict[str, Any], gallery: "Catalog | None") -> "Goal":
    from lookalike.explanation.questions import Below, BelowPercentile, OutOfTop

    below, percentile, top = (chosen[name] for name in ("below", "below_percentile", "out_of_top"))
    if (top is None) != (gallery is None):
        raise UsageError("--gallery and --out-of-top go together: name both or neither")
    goals: list[Goal] = []
    if below is not None:
        goals.append(Below(below))
    if percentile is not None:
        goals.append(BelowPercentile(percentile))
    if top is not None and gallery is not None:
        goals.append(OutOfTop(top, gallery))
    if len(goals) != 1:
        raise UsageError(
            "name one goal: --below 0.5, or --below-percentile 95, or --gallery DATA --out-of-top 5"
        )
    return goals[0]


def _row(catalog: "Catalog", row: int) -> int:
    """Return the number in the catalog of a row of its source."""
    places = (catalog.rows == row).nonzero()[0]
    if not len(places):
        raise UsageError(
            f"row {row}: no such row among the {len(catalog)} pictures that were read; "
            "--split all takes everything"
        )
    return int(places[0])
