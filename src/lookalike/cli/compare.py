"""`lookalike compare`: a grid of recipes and seeds on the same pictures, as one table."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli.selection import AllowPartial, ColumnNames, Data, named_columns
from lookalike.cli.settings import Assignments, ConfigFile, Json, settle
from lookalike.errors import UsageError


def compare(
    data: Data,
    out: Annotated[
        Path, typer.Option(help="Folder for the runs, and for results.html, .md and .json.")
    ],
    recipe: Annotated[
        list[str] | None,
        typer.Option(
            "--recipe",
            metavar="NAME_OR_YAML",
            help="Where to start from: a name of `lookalike recipe list`, or a file of a whole "
            "recipe; starter if left. Repeats.",
        ),
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=V1,V2",
            help="Try each value, with each of every other --vary; e.g. head=single,attentive or "
            "train.epochs=5,10. Repeats.",
        ),
    ] = None,
    seeds: Annotated[str, typer.Option(help="Run each variant with each of these.")] = "0,1,2",
    results: Annotated[
        Path | None,
        typer.Option(metavar="STEM", help="Also write STEM.json and STEM.md, to keep."),
    ] = None,
    note: Annotated[
        str | None,
        typer.Option(metavar="TEXT_OR_@FILE", help="What you say of it; printed with it."),
    ] = None,
    explanations: Annotated[
        int | None,
        typer.Option(
            metavar="PAIRS",
            min=1,
            help="Measure each run's explanations too, on so many pairs of one class, e.g. 50: "
            "deletion and insertion, control, stability, groups; finished runs too.",
        ),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Saliency methods to measure with --explanations; exact and grad_cam if left.",
        ),
    ] = None,
    columns: ColumnNames = None,
    allow_partial: AllowPartial = False,
    config: ConfigFile = None,
    assignments: Assignments = None,
    as_json: Json = False,
) -> None:
    """Train every variant with every seed and set the results side by side.

    Runs that are finished are reused, one that was stopped goes on where it
    was, and one that fails does not stop the others. --set and --config
    change every recipe before it is varied. Exit code 1 if a run failed.
    """
    from lookalike import comparison
    from lookalike.cli.console import say
    from lookalike.cli.training_bar import TrainingBar
    from lookalike.comparison.compare_recipes import open_recipe

    starts = [settle(open_recipe(name), config, assignments) for name in recipe or ["starter"]]
    if methods is not None and explanations is None:
        raise UsageError("--methods goes with --explanations PAIRS, which is not given")
    axes, numbers, said = _axes(vary or []), _numbers(seeds), _text(note)
    command = shlex.join(["lookalike", *sys.argv[1:]])
    with TrainingBar() as bar:
        try:
            report = comparison.compare(
                str(data),
                out,
                recipes=starts,
                vary=axes,
                seeds=numbers,
                explanations=explanations,
                methods=None if methods is None else split_values(methods),
                results=results,
                note=said,
                columns=named_columns(columns),
                allow_partial=allow_partial,
                command=command,
                listeners=[bar],
                say=say,
            )
        except KeyboardInterrupt:
            say(f"stopped; what is finished is kept. Go on with the same command: {command}")
            raise typer.Exit(1) from None
    found = report.comparison
    typer.echo(comparison.to_json(found).rstrip() if as_json else comparison.to_text(report))
    if found.failures:
        raise typer.Exit(1)


def split_values(text: str) -> list[str]:
    """Split at commas that stand in no brackets.

    >>> split_values("single,{kind: attentive, groups: 2},[1, 2]")
    ['single', '{kind: attentive, groups: 2}', '[1, 2]']
    """
    values, depth = [""], 0
    for letter in text:
        depth += (letter in "[{(") - (letter in "]})")
        if letter == "," and depth == 0:
            values.append("")
        else:
            values[-1] += letter
    return [value.strip() for value in values]


def _axes(vary: list[str]) -> dict[str, list[str]]:
    axes: dict[str, list[str]] = {}
    for text in vary:
        key, sign, values = text.partition("=")
        split = split_values(values)
        if not sign or not key or not all(split):
            raise UsageError(f"--vary {text}: write it as KEY=V1,V2, e.g. head=single,attentive")
        if key in axes:
            raise UsageError(f"--vary {text}: {key} is varied already; give all its values in one")
        axes[key] = split
    return axes


def _numbers(seeds: str) -> list[int]:
    numbers = [number.strip() for number in seeds.split(",")]
    if not all(number.isdecimal() for number in numbers):
        raise UsageError(f"--seeds {seeds}: write whole numbers with commas, e.g. 0,1,2")
    return [int(number) for number in numbers]


def _text(note: str | None) -> str:
    if note is None or not note.startswith("@"):
        return note or ""
    try:
        return Path(note[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--note {note}: cannot be read as text: {error}") from None
