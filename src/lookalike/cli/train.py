"""`lookalike train`: train a model on pictures and write a run folder."""

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli.selection import AllowPartial, ColumnNames, Data, open_catalog
from lookalike.cli.settings import Assignments, ConfigFile, Json, settle


def train(
    data: Data,
    out: Annotated[Path, typer.Option(help="Run folder to write.")],
    recipe: Annotated[
        str, typer.Option(help="The recipe to start from; see `lookalike recipe list`.")
    ] = "starter",
    resume: Annotated[bool, typer.Option("--resume", help="Continue the run there.")] = False,
    columns: ColumnNames = None,
    allow_partial: AllowPartial = False,
    config: ConfigFile = None,
    assignments: Assignments = None,
    as_json: Json = False,
) -> None:
    """Train a model on your pictures and evaluate it on classes that it has never seen.

    Splits come from the data (column "split", or folders train / val / test). Without any, some
    classes become the test set.
    """
    from lookalike import recipes
    from lookalike.cli.console import say, show
    from lookalike.cli.training_bar import TrainingBar

    settled = settle(recipes.named(recipe), config, assignments)
    catalog = open_catalog(data, columns, allow_partial=allow_partial)
    with TrainingBar() as listener:
        try:
            run = recipes.train(settled, catalog, out, resume=resume, listeners=[listener])
        except KeyboardInterrupt:
            say(f"stopped; continue with: lookalike train {data} --out {out} --resume ...")
            raise typer.Exit(1) from None
    if run.report is not None:
        show(run.report, as_json=as_json)
    say(f"the run is in {out}")
