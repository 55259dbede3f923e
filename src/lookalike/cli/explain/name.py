"""`lookalike explain name`: names for groups, found from known parts or given by the user."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli.explain.answers import Run, Split, names_of
from lookalike.cli.selection import AllowPartial, ColumnNames, open_catalog, require_folder
from lookalike.cli.settings import Json
from lookalike.errors import UsageError

if TYPE_CHECKING:
    from lookalike.data import Catalog
    from lookalike.explanation.account.group_names import GroupNames
    from lookalike.explanation.groups.maps import GroupMap
    from lookalike.model import Model


def name(
    run: Run,
    data: Annotated[
        Path | None,
        typer.Argument(
            help="Pictures whose parts are known, cub:ROOT or drawn by `lookalike data draw`: "
            "groups are named after the parts they look at."
        ),
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option("--call", metavar="GROUP=NAME", help="Your own name of a group. Repeats."),
    ] = None,
    at_least: Annotated[
        float,
        typer.Option(
            min=0, max=1, help="With data: the share of pictures in which a name must be right."
        ),
    ] = 0.5,
    out: Annotated[
        Path | None, typer.Option(help="File to write; names.json of the run folder if left.")
    ] = None,
    split: Split = None,
    columns: ColumnNames = None,
    allow_partial: AllowPartial = False,
    as_json: Json = False,
) -> None:
    """Name groups, after parts or as you say; without either, show the names that there are.

    The names appear in every explanation. With data, a group is named after
    the part that its map peaks on most often, and the share of pictures in
    which it does is kept with the name. --call puts your own in its place.
    """
    from lookalike import checkpoint
    from lookalike.cli.console import say
    from lookalike.explanation.account.group_names import NAMES

    own = [_group_and_name(one) for one in given or []]
    if out is not None:
        require_folder(out)
    catalog = None
    if data is not None:
        catalog = open_catalog(data, columns, split=split, allow_partial=allow_partial)
    model = checkpoint.load(run)
    if catalog is None:
        names = names_of(model, run, None)
    else:
        names = _names_from_parts(model, catalog, at_least=at_least)
    names = names.renamed(own)
    if data is not None or own:
        say(f"written to {names.write(run / NAMES if out is None else out)}")
    rows = [
        {"group": group, "name": called, "share": share, "chance": chance}
        for group, (called, share, chance) in enumerate(
            zip(names.names, names.shares, names.chances, strict=True)
        )
    ]
    typer.echo(json.dumps({"groups": rows}) if as_json else _lines(rows))


def _names_from_parts(model: "Model", catalog: "Catalog", *, at_least: float) -> "GroupNames":
    """Name groups after the parts their maps peak on: attention, or tokens without attention."""
    from lookalike.explanation.measures import name_groups, peak_parts
    from lookalike.heads import TOKEN_LENGTH

    kind: GroupMap = "tokens" if model.head.shows == TOKEN_LENGTH else "attention"
    (peaks,) = peak_parts(model, catalog, maps=(kind,))
    return name_groups(peaks, at_least=at_least)


def _group_and_name(given: str) -> tuple[int, str]:
    group, _, called = given.partition("=")
    if not group.strip().isdecimal() or not called.strip():
        raise UsageError(f"--call {given}: write it as GROUP=NAME, e.g. 0=forehead")
    return int(group), called.strip()


def _lines(rows: list[dict[str, Any]]) -> str:
    """Write a line for each group that has a name, and how many have none."""
    lines = []
    for row in rows:
        if row["name"] is not None:
            chance, share = (
                None if row[key] is None else f"{100 * row[key]:.0f} %"
                for key in ("chance", "share")
            )
            usual = f"; {chance} by chance" if chance else ""
            right = f"  right in {share} of pictures{usual}" if share else ""
            lines.append(f"group {row['group']:<4} {row['name']}{right}")
    without = len(rows) - len(lines)
    if without:
        lines.append(f"{without} of {len(rows)} groups without a name")
    return "\n".join(lines)
