"""`lookalike explain mistake` and `worst`: wrong matches against right ones."""

from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.explain.answer import (
    Files,
    Gallery,
    Names,
    Run,
    Split,
    deliver,
    open_run,
    require_files,
)
from lookalike.cli.selection import AllowPartial, ColumnNames, open_catalog
from lookalike.cli.settings import Json
from lookalike.errors import UsageError

if TYPE_CHECKING:
    from lookalike.data import Catalog


def mistake(
    run: Run,
    data: Gallery,
    query: Annotated[
        str | None,
        typer.Option(
            metavar="ROW_OR_PATH",
            help="A picture of the data: its row, as `worst` lists it, or its file; the query "
            "that goes most wrong if left.",
        ),
    ] = None,
    split: Split = None,
    out: Files = None,
    names: Names = None,
    columns: ColumnNames = None,
    allow_partial: AllowPartial = False,
    as_json: Json = False,
) -> None:
    """Explain the best wrong result of a query against the best right one."""
    from lookalike.cli.console import bar
    from lookalike.explanation import questions

    require_files(out)
    catalog = open_catalog(data, columns, split=split, allow_partial=allow_partial)
    row = None if query is None else _row(catalog, query)
    model, called = open_run(run, names)
    with bar("embedding") as progress:
        found = questions.explain_mistake(model, catalog, row, names=called, progress=progress)
    deliver(found, out, as_json=as_json)


def worst(
    run: Run,
    data: Gallery,
    count: Annotated[int, typer.Option(min=1, help="Queries to list.")] = 10,
    split: Split = None,
    out: Files = None,
    names: Names = None,
    columns: ColumnNames = None,
    allow_partial: AllowPartial = False,
    as_json: Json = False,
) -> None:
    """List the queries whose best wrong result is furthest above the best right one."""
    from lookalike.cli.console import bar
    from lookalike.explanation import questions

    require_files(out)
    catalog = open_catalog(data, columns, split=split, allow_partial=allow_partial)
    model, called = open_run(run, names)
    with bar("embedding") as progress:
        found = questions.explain_worst(
            model, catalog, count=count, names=called, progress=progress
        )
    deliver(found, out, as_json=as_json)


def _row(catalog: "Catalog", query: str) -> int:
    """Return the number in the catalog of a row of its source, or of a file."""
    from lookalike.explanation.questions.pictures import row_of

    if not query.isdecimal():
        found = row_of(catalog, query)
        if found is None:
            raise UsageError(f"--query {query}: not a picture of {catalog.root} as it was read")
        return found
    places = (catalog.rows == int(query)).nonzero()[0]
    if not len(places):
        raise UsageError(
            f"--query {query}: no such row among the {len(catalog)} pictures that were read; "
            "--split all takes everything"
        )
    return int(places[0])
