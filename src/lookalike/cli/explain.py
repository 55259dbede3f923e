"""`lookalike explain`: why two pictures are alike, and what a model's groups look at."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from lookalike.cli.explain_groups import groups
from lookalike.cli.selection import require_folder
from lookalike.cli.settings import Json
from lookalike.errors import UsageError


class PairFirst(TyperGroup):
    """A group of commands that takes `explain RUN A B` as `explain pair RUN A B`."""

    # Which class a context has differs between versions of Typer, and is private in the latest.
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        """Put "pair" before arguments that begin with none of the commands."""
        begins = args[0] if args else ""
        if begins not in self.commands and begins != "--help":
            args = ["pair", *args]
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed


app = typer.Typer(
    cls=PairFirst,
    subcommand_metavar="RUN A B | groups RUN... --data DATA",
    rich_markup_mode="rich",
)


@app.callback()
def explain() -> None:
    """Say why two pictures are alike, or show what a model's groups look at.

    `explain RUN A B` is short for `explain pair RUN A B`; write it in full
    where the run folder is itself called pair or groups.
    """


@app.command()
def pair(
    run: Annotated[Path, typer.Argument(help="Run folder with the model.")],
    a: Annotated[Path, typer.Argument(help="A picture.")],
    b: Annotated[Path, typer.Argument(help="Another picture.")],
    out: Annotated[
        list[Path] | None,
        typer.Option(help="File to write: .png, .html or .json. Repeats."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say why two pictures are alike: by group, by region, adding up to the score."""
    from lookalike import checkpoint
    from lookalike.explanation import FORMATS
    from lookalike.explanation import explain as explain_pair

    for path in out or []:
        if path.suffix.lower() not in FORMATS:
            raise UsageError(f"--out {path}: name a file that ends in {', '.join(FORMATS)}")
        require_folder(path)
    why = explain_pair(checkpoint.load(run), a, b)
    for path in out or []:
        why.save(path)
    typer.echo(why.to_json() if as_json else str(why))


app.command()(groups)
