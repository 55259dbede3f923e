"""`lookalike explain why-above`: why one picture is above another for a query."""

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli.explain.answer import Files, Names, Query, Run, deliver, open_run, require_files
from lookalike.cli.settings import Json


def why_above(
    run: Run,
    a: Query,
    b: Annotated[Path, typer.Argument(help="A result.")],
    c: Annotated[Path, typer.Argument(help="Another one, below B.")],
    out: Files = None,
    names: Names = None,
    as_json: Json = False,
) -> None:
    """Say why B is above C for query A: their margin by group and by region, adding up to it."""
    from lookalike.explanation import questions

    require_files(out)
    model, called = open_run(run, names)
    deliver(questions.why_above(model, a, b, c, names=called), out, as_json=as_json)
