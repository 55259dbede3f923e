"""`lookalike explain why-different`: what sets two pictures apart."""

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli.explain.answer import Files, Names, Run, deliver, open_run, require_files
from lookalike.cli.settings import Json


def why_different(
    run: Run,
    a: Annotated[Path, typer.Argument(help="A picture.")],
    b: Annotated[Path, typer.Argument(help="Another picture.")],
    out: Files = None,
    names: Names = None,
    as_json: Json = False,
) -> None:
    """Say why two pictures are different: what their score lacks, by group and by region."""
    from lookalike.explanation import questions

    require_files(out)
    model, called = open_run(run, names)
    deliver(questions.why_different(model, a, b, names=called), out, as_json=as_json)
