"""`lookalike data`: look at pictures and catalogs before training on them."""

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli.selection import ColumnNames, named_columns
from lookalike.cli.settings import Json

app = typer.Typer(help="Look at your data before training on it.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Look at your data before training on it."""


@app.command()
def check(
    data: Annotated[Path, typer.Argument(help="Folder, CSV or Parquet file of pictures.")],
    columns: ColumnNames = None,
    as_json: Json = False,
) -> None:
    """Read every picture and say what is wrong, one line a problem.

    Exit code 0 if nothing hinders training (warnings and notes may remain), 1 if something does.
    """
    from lookalike.cli.console import bar
    from lookalike.data import check as check_data

    with bar("reading pictures") as progress:
        report = check_data(data, columns=named_columns(columns), progress=progress)
    if as_json:
        typer.echo(report.to_json())
    else:
        typer.echo("\n".join([*report.lines(per_kind=20), report.summary()]))
    if not report.ok:
        raise typer.Exit(1)
