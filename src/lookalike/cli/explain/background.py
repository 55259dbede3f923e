"""`lookalike explain background`: what a pair shares beyond what a query shares with anything."""

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli.explain.answer import (
    Files,
    Gallery,
    Names,
    Query,
    Run,
    Split,
    deliver,
    open_run,
    require_files,
)
from lookalike.cli.selection import AllowPartial, ColumnNames, open_catalog
from lookalike.cli.settings import Json


def background(
    run: Run,
    a: Query,
    b: Annotated[Path, typer.Argument(help="The picture that A is compared with.")],
    data: Gallery,
    count: Annotated[int, typer.Option(min=1, help="Pictures to draw from the data.")] = 64,
    seed: Annotated[int, typer.Option(min=0, help="Of the draw.")] = 0,
    split: Split = None,
    out: Files = None,
    names: Names = None,
    columns: ColumnNames = None,
    allow_partial: AllowPartial = False,
    as_json: Json = False,
) -> None:
    """Say what A and B share beyond what A shares with an average picture of other classes."""
    from lookalike.explanation import questions

    require_files(out)
    catalog = open_catalog(data, columns, split=split, allow_partial=allow_partial)
    model, called = open_run(run, names)
    found = questions.against_background(model, a, b, catalog, count=count, seed=seed, names=called)
    deliver(found, out, as_json=as_json)
