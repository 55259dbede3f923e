"""`lookalike evaluate`: measure a model on a catalog."""

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli.selection import AllowPartial, ColumnNames, Data, open_catalog, require_folder
from lookalike.cli.settings import Assignments, ConfigFile, Json, settle
from lookalike.errors import UsageError


def evaluate(
    run: Annotated[Path, typer.Argument(help="Run folder with the model.")],
    data: Data,
    split: Annotated[
        str | None,
        typer.Option(help='Only this split; "test" where there is one, "all" for everything.'),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Also write the report here: .json or .md.")
    ] = None,
    columns: ColumnNames = None,
    allow_partial: AllowPartial = False,
    config: ConfigFile = None,
    assignments: Assignments = None,
    as_json: Json = False,
) -> None:
    """Measure how well a model finds pictures of the same class, with every definition.

    Keys for --set are those of a recipe's evaluation, e.g. ks=[1,10,100] or workers=2.
    """
    from lookalike import checkpoint, recipes
    from lookalike.cli.console import bar, show

    if out is not None:
        if out.suffix not in {".json", ".md"}:
            raise UsageError(f"--out {out}: name a file that ends in .json or .md")
        require_folder(out)
    settings = settle(recipes.EvaluationConfig(), config, assignments)
    catalog = open_catalog(data, columns, split=split, allow_partial=allow_partial)
    model = checkpoint.load(run)
    with bar("embedding") as progress:
        report = settings.run(model, catalog, progress=progress)
    if out is not None:
        report.save(out)
    show(report, as_json=as_json)
