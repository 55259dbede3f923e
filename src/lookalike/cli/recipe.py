"""`lookalike recipe`: list and print the recipes to start from."""

import json
from typing import Annotated

import typer

from lookalike.cli.settings import Assignments, ConfigFile, Json, settle

app = typer.Typer(help="Show the recipes to start from.", no_args_is_help=True)


@app.command("list")
def list_recipes(
    names: Annotated[
        bool, typer.Option("--all", help="Every name, one a line, without the families' patterns.")
    ] = False,
    as_json: Json = False,
) -> None:
    """List the recipes with a line on each; in a name with braces, choose one word from each."""
    from lookalike import recipes

    if names:
        every = list(recipes.every())
        typer.echo(json.dumps(every) if as_json else "\n".join(every))
        return
    lines = recipes.summaries()
    if as_json:
        typer.echo(json.dumps(lines))
        return
    for name, line in lines.items():
        typer.echo(f"{name}\n    {line}")


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="Its name; see `lookalike recipe list`.")],
    config: ConfigFile = None,
    assignments: Assignments = None,
    as_json: Json = False,
) -> None:
    """Print a recipe as YAML, to edit and pass to `lookalike train --config`."""
    from lookalike import recipes
    from lookalike.config import dump_yaml

    plain = settle(recipes.named(name), config, assignments).model_dump(mode="json")
    typer.echo(json.dumps(plain) if as_json else dump_yaml(plain).rstrip())
