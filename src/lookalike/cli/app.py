"""All commands of the command line."""

import typer

from lookalike.cli import compare, data, demo, embed, evaluate, recipe, train
from lookalike.cli.explain import app as explain

app = typer.Typer(
    name="lookalike",
    help="Train image embeddings, measure them honestly, and see exactly why two pictures match.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command()(demo.demo)
app.command()(train.train)
app.command()(evaluate.evaluate)
app.command()(compare.compare)
app.command()(embed.embed)
app.add_typer(explain.app, name="explain")
app.add_typer(data.app, name="data")
app.add_typer(recipe.app, name="recipe")


@app.callback(invoke_without_command=True)
def version(
    show: bool = typer.Option(False, "--version", is_eager=True, help="Print the version."),
) -> None:
    """Print the version if `--version` was given."""
    if show:
        from lookalike import __version__

        typer.echo(__version__)
        raise typer.Exit


# otherwise the docstring of this callback would replace the help of the app
version.__doc__ = app.info.help
