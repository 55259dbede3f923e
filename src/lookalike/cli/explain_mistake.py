"""`lookalike explain mistake` and `worst`: wrong matches against right ones."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli.explain_answer import (
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
    from lookalike.explanation.questions import Contest


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
    columns: ColumnNames = None,
    allow_partial: AllowPartial = False,
    as_json: Json = False,
) -> None:
    """List the queries whose best wrong result is furthest above the best right one."""
    from lookalike import checkpoint
    from lookalike.cli.console import bar
    from lookalike.explanation import questions

    catalog = open_catalog(data, columns, split=split, allow_partial=allow_partial)
    model = checkpoint.load(run)
    with bar("embedding") as progress:
        found = questions.worst_queries(model, catalog, count=count, progress=progress)
    if as_json:
        typer.echo(json.dumps([_record(catalog, contest) for contest in found]))
    elif not found:
        typer.echo("no query has a wrong result above the best right one")
    else:
        typer.echo("\n".join(_line(catalog, contest) for contest in found))


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


def _record(catalog: "Catalog", contest: "Contest") -> dict[str, Any]:
    rows = {"query": contest.query, "wrong": contest.wrong, "right": contest.right}
    pictures = {
        name: {
            "row": int(catalog.rows[row]),
            "path": catalog.paths[row],
            "class": catalog.class_name(row),
        }
        for name, row in rows.items()
    }
    scores = {"wrong_score": contest.wrong_score, "right_score": contest.right_score}
    return pictures | scores | {"margin": contest.margin, "rank_of_right": contest.rank}


def _line(catalog: "Catalog", contest: "Contest") -> str:
    """Write one query with what was found in place of its class."""
    return (
        f"row {catalog.rows[contest.query]:<6} {catalog.paths[contest.query]}: "
        f"{catalog.class_name(contest.wrong)} {contest.wrong_score:.3f} above "
        f"{catalog.class_name(contest.right)} {contest.right_score:.3f}, "
        f"which comes at rank {contest.rank}"
    )
