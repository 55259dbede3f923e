"""`lookalike explain results`: what carried a whole result list."""

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


def results(
    run: Run,
    a: Query,
    data: Gallery,
    k: Annotated[int, typer.Option(min=1, help="How many results.")] = 10,
    split: Split = None,
    out: Files = None,
    names: Names = None,
    columns: ColumnNames = None,
    allow_partial: AllowPartial = False,
    as_json: Json = False,
) -> None:
    """Search pictures for A, and say which groups and regions carried the best results."""
    from lookalike.cli.console import bar
    from lookalike.explanation import questions

    require_files(out)
    catalog = open_catalog(data, columns, split=split, allow_partial=allow_partial)
    model, called = open_run(run, names)
    with bar("embedding") as progress:
        found = questions.summarise_results(model, a, catalog, k=k, names=called, progress=progress)
    deliver(found, out, as_json=as_json)
