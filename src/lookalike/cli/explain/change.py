"""`lookalike explain change`: what in a picture a score, or a place in a list, depends on."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.explain.answer import (
    Files,
    Names,
    Query,
    Run,
    Split,
    deliver,
    open_run,
    require_files,
)
from lookalike.cli.selection import AllowPartial, ColumnNames, open_catalog
from lookalike.cli.settings import Json
from lookalike.errors import UsageError

if TYPE_CHECKING:
    from lookalike.explanation.questions import Goal


class Hidden(StrEnum):
    """What hidden cells show."""

    BLUR = "blur"
    MEAN = "mean"


def change(
    run: Run,
    a: Query,
    b: Annotated[Path, typer.Argument(help="The picture that A is compared with.")],
    below: Annotated[
        float | None, typer.Option(help="Bring the similarity below this number.")
    ] = None,
    percentile: Annotated[
        float | None,
        typer.Option(
            "--below-percentile", help="Below what this percentage of different pairs stay below."
        ),
    ] = None,
    gallery: Annotated[
        Path | None, typer.Option(help="With --out-of-top: the pictures that B competes with.")
    ] = None,
    top: Annotated[
        int | None,
        typer.Option("--out-of-top", metavar="K", help="Bring B out of the first K of --gallery."),
    ] = None,
    fill: Annotated[Hidden, typer.Option(help="What hidden cells show.")] = Hidden.BLUR,
    cells: Annotated[int, typer.Option(min=1, help="Cells along a side, at most.")] = 8,
    tries: Annotated[int, typer.Option(min=1, help="Cells that are tried at each step.")] = 12,
    budget: Annotated[
        int,
        typer.Option(
            min=0, help="Versions of A that may be scored to find a smaller set, or rule it out."
        ),
    ] = 2500,
    split: Split = None,
    out: Files = None,
    names: Names = None,
    columns: ColumnNames = None,
    allow_partial: AllowPartial = False,
    as_json: Json = False,
) -> None:
    """Find the fewest cells of A to hide so that the similarity, or B in a list, falls.

    Name one goal: --below, --below-percentile, or --gallery with
    --out-of-top. The cells are found greedily, then every smaller set is
    tried, as far as --budget covers all sets of a size; the answer says
    whether that proves them the fewest. The final picture is scored once
    more by itself.
    """
    from lookalike.cli.console import bar
    from lookalike.explanation import questions

    require_files(out)
    goals: list[Goal] = []
    if below is not None:
        goals.append(questions.Below(below))
    if percentile is not None:
        goals.append(questions.BelowPercentile(percentile))
    if (top is None) != (gallery is None):
        raise UsageError("--gallery and --out-of-top go together: name both or neither")
    if top is not None and gallery is not None:
        catalog = open_catalog(gallery, columns, split=split, allow_partial=allow_partial)
        goals.append(questions.OutOfTop(top, catalog))
    if len(goals) != 1:
        raise UsageError(
            "name one goal: --below 0.5, or --below-percentile 95, or --gallery DATA --out-of-top 5"
        )
    model, called = open_run(run, names)
    with bar("hiding") as progress:
        found = questions.what_would_change(
            model,
            a,
            b,
            goals[0],
            fill=fill.value,
            cells=cells,
            tries=tries,
            budget=budget,
            names=called,
            progress=progress,
        )
    deliver(found, out, as_json=as_json)
