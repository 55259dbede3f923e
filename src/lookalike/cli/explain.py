"""`lookalike explain`: why two pictures are alike, as picture, page and numbers."""

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli.selection import require_folder
from lookalike.cli.settings import Json
from lookalike.errors import UsageError


def explain(
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
