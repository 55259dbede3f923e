"""`lookalike explain groups`: what the groups of one run or several look at."""

import os
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.explain.answers import DATA, Names, Split, names_of
from lookalike.cli.selection import AllowPartial, ColumnNames, open_catalog
from lookalike.cli.settings import Json
from lookalike.errors import UsageError
from lookalike.files import make_folder

if TYPE_CHECKING:
    pass

PICTURES = 4
"""Pictures that all runs are shown where none are named."""


class Way(StrEnum):
    """Which way a picture is shifted."""

    ACROSS = "across"
    DOWN = "down"


def groups(
    runs: Annotated[list[Path], typer.Argument(help="Run folders; all see the same pictures.")],
    data: Annotated[Path, typer.Option(help=DATA)],
    split: Split = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for groups.html, groups.json and a PNG for each figure."),
    ] = None,
    pictures: Annotated[
        list[Path] | None,
        typer.Option("--picture", help="Show this to all runs, and shift it. Repeats."),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option("--groups", metavar="0,2,5", help="Only these groups; the first 8 if left."),
    ] = None,
    count: Annotated[int, typer.Option(min=1, help="Strongest pictures a group.")] = 12,
    per_class: Annotated[
        int, typer.Option(min=0, help="At most so many of them are of one class; 0 for no limit.")
    ] = 1,
    way: Annotated[Way, typer.Option("--shift", help="Which way pictures move.")] = Way.ACROSS,
    scale: Annotated[
        float,
        typer.Option(
            min=0.1, max=0.9, help="Side of a shifted picture, as a share of the frame's."
        ),
    ] = 0.6,
    masked: Annotated[
        str | None,
        typer.Option(
            "--channels",
            metavar="3,17",
            help="Of an ensemble's masks, show these channels one by one; if left, the 3 that "
            "learners open in the most different places.",
        ),
    ] = None,
    names: Names = None,
    columns: ColumnNames = None,
    allow_partial: AllowPartial = False,
    as_json: Json = False,
) -> None:
    """Show what each group looks at: its strongest pictures, runs side by side, pictures shifted.

    Of an ensemble, also what each learner's mask lets through.
    Without --picture, four pictures of the data are shown. The figure of a
    shift draws the first of them; its mean is over all. Without --out only
    numbers are printed.
    """
    from lookalike import checkpoint
    from lookalike.cli.console import bar, say
    from lookalike.explanation import (
        Subject,
        Viewing,
        look_at_groups,
        sample_subjects,
        view_runs,
    )

    if names is not None and len(runs) > 1:
        raise UsageError(
            f"--names {names}: a file names the groups of one run; put a names.json into each "
            "run folder instead"
        )
    chosen, channels = _numbers("--groups", only), _numbers("--channels", masked)
    called = run_names(runs)
    catalog = open_catalog(data, columns, split=split, allow_partial=allow_partial)
    models = {name: checkpoint.load(run) for name, run in zip(called, runs, strict=True)}
    if out is not None:
        make_folder(out, called="--out")
    viewing = Viewing(
        catalog,
        tuple(Subject(path) for path in pictures or []) or sample_subjects(catalog, PICTURES),
        count=count,
        per_class=per_class or None,
        along=way.value,
        scale=scale,
        channels=None if channels is None else tuple(channels),
    )
    named = {
        name: names_of(models[name], run, names) for name, run in zip(called, runs, strict=True)
    }
    views = view_runs(models, chosen, names=named)
    with bar("looking") as progress:
        report = look_at_groups(views, viewing, progress=progress)
    if out is not None:
        with bar("drawing") as progress:
            files = report.save(out, progress=progress)
        say(f"open {files[0]}")
    typer.echo(report.to_json() if as_json else str(report))


def run_names(runs: Sequence[Path]) -> list[str]:
    """Name runs by their folders, and by folders above these where the names would be the same.

    Raises:
        UsageError: A run is named twice.

    >>> run_names([Path("/a/one/best"), Path("/a/two/best")])
    ['one-best', 'two-best']
    """
    parts = [Path(os.path.abspath(run)).parts[1:] or ("run",) for run in runs]
    if len(set(parts)) != len(parts):
        twice = next(run for run, own in zip(runs, parts, strict=True) if parts.count(own) > 1)
        raise UsageError(f"{twice} is named twice; name every run once")
    for steps in range(1, max(map(len, parts)) + 1):
        names = ["-".join(own[-steps:]) for own in parts]
        if len(set(names)) == len(names):
            return names
    raise UsageError(f"these runs cannot be told apart by their names: {', '.join(names)}")


def _numbers(option: str, text: str | None) -> list[int] | None:
    if text is None:
        return None
    numbers = text.split(",")
    if not all(number.strip().isdecimal() for number in numbers):
        raise UsageError(f"{option} {text}: write numbers from 0 on with commas, e.g. 0,2,5")
    return [int(number) for number in numbers]
