"""`lookalike data`: check pictures before training, prepare benchmarks, draw figures."""

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.selection import AllowPartial, ColumnNames, named_columns
from lookalike.cli.settings import Json
from lookalike.errors import CatalogError, UsageError

if TYPE_CHECKING:
    from lookalike.data import Catalog

app = typer.Typer(help="Look at your data before training on it.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Look at your data before training on it."""


@app.command()
def check(
    data: Annotated[Path, typer.Argument(help="Folder, CSV or Parquet file of pictures.")],
    columns: ColumnNames = None,
    as_json: Json = False,
) -> None:
    """Read every picture and list all problems, one in each line.

    Exit code 0 if training is possible (there may be warnings and notes), 1 if not.
    """
    from lookalike.cli.console import bar
    from lookalike.data import check as check_data

    with bar("reading pictures") as progress:
        report = check_data(data, columns=named_columns(columns), progress=progress)
    if as_json:
        typer.echo(report.to_json())
    else:
        typer.echo("\n".join([*report.lines(per_kind=20), report.summary()]))
    if not report.ok:
        raise typer.Exit(1)


@app.command()
def prepare(
    name: Annotated[str, typer.Argument(help="Which: cub, cars, sop or inshop.")],
    root: Annotated[Path, typer.Argument(help="The folder that it was unpacked in.")],
    allow_partial: AllowPartial = False,
    as_json: Json = False,
) -> None:
    """Say which files of a benchmark are there, and compare the counts with the published ones.

    Nothing is downloaded or changed. Exit code 0 if it is complete, or incomplete with
    --allow-partial; 1 if something is missing; 2 if no known layout is found.
    """
    from lookalike.data.benchmarks import BENCHMARKS, inspect

    try:
        told = inspect(name, root)
    except CatalogError as error:
        wanted = BENCHMARKS[name]
        raise CatalogError(f"{error}\n{wanted.title}: {wanted.source}") from None
    some = any(part.images for part in told.parts)
    command = shlex.join(["lookalike", "train", f"{name}:{root}", "--out", f"runs/{name}"])
    if not told.ok:
        command += " --allow-partial"
    if as_json:
        typer.echo(json.dumps(told.to_dict() | {"train": command if some else None}))
    else:
        typer.echo("\n".join(told.lines()))
        if some:
            typer.echo(f"train on {'it' if told.ok else 'what is there'}: {command}")
    if not (told.ok or (allow_partial and some)):
        raise typer.Exit(1)


@app.command()
def draw(
    out: Annotated[Path, typer.Argument(help="Folder to draw into; new or empty.")],
    classes: Annotated[int, typer.Option(min=1, help="Figures to tell apart.")] = 40,
    images_per_class: Annotated[int, typer.Option(min=1, help="Drawings of each.")] = 10,
    size: Annotated[int, typer.Option(help="Side of the pictures, pixels.")] = 96,
    variants: Annotated[int, typer.Option(help="Kinds of each part, 2 to 5.")] = 4,
    seed: Annotated[int, typer.Option(min=0, help="Of everything that is drawn.")] = 0,
    test_share: Annotated[
        float, typer.Option(min=0, max=1, help="Share of the classes in split test.")
    ] = 0.5,
    as_json: Json = False,
) -> None:
    """Draw figures with known parts, and for each a mask of the part that each pixel belongs to."""
    from lookalike.cli.console import bar
    from lookalike.config import parse
    from lookalike.data import PartsSpec, write_parts

    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise UsageError(f"{out}: not an empty folder; choose a new one, nothing is overwritten")
    spec: PartsSpec = parse(
        PartsSpec, {"size": size, "variants": variants}, source="lookalike data draw"
    )
    with bar("drawing") as progress:
        catalog = write_parts(
            out,
            classes=classes,
            images_per_class=images_per_class,
            seed=seed,
            test_share=test_share,
            spec=spec,
            progress=progress,
        )
    show_drawn(catalog, out, as_json=as_json)


def show_drawn(catalog: "Catalog", out: Path, *, as_json: bool) -> None:
    """Print how many pictures were drawn, and where they and the masks are."""
    from lookalike.data import FIGURE_PARTS

    summary = {
        "catalog": str(out / "catalog.csv"),
        "images": len(catalog),
        "classes": len(catalog.classes),
        "masks": str(out / "masks"),
        "parts": {name: code for code, name in enumerate(FIGURE_PARTS, start=1)},
    }
    if as_json:
        typer.echo(json.dumps(summary))
        return
    codes = ", ".join(f"{code} {name}" for code, name in enumerate(FIGURE_PARTS, start=1))
    typer.echo(f"{len(catalog)} pictures of {len(catalog.classes)} classes: {summary['catalog']}")
    typer.echo(f"a mask of each: {summary['masks']} (pixels are 0 background, {codes})")
