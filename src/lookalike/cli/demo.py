"""`lookalike demo`: train, evaluate and explain on pictures of the library."""

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli.settings import Assignments, ConfigFile, Json, settle


def demo(
    out: Annotated[
        Path, typer.Option(help="Folder for the report; replaces an earlier demo.")
    ] = Path("demo"),
    compare: Annotated[
        bool,
        typer.Option("--compare/--no-compare", help="Also train a single embedding."),
    ] = True,
    config: ConfigFile = None,
    assignments: Assignments = None,
    as_json: Json = False,
) -> None:
    """Train on 160 emoji concepts, search among 160 others, and explain the matches.

    Writes report.html, report.json and the run folders. Takes a few minutes on two cores.
    """
    import json

    from lookalike import recipes
    from lookalike.cli.console import say
    from lookalike.cli.training_bar import TrainingBar

    recipe = settle(recipes.emoji(), config, assignments)
    with TrainingBar() as listener:
        result = recipes.run_demo(recipe, out, compare=compare, listeners=[listener], say=say)
    typer.echo(json.dumps(result.figures, indent=1) if as_json else result.summary())
    say(f"open {out / 'report.html'}")
