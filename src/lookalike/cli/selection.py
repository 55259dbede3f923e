"""Which pictures a command works on."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.errors import LookalikeError, UsageError

if TYPE_CHECKING:
    from lookalike.data import Catalog, Columns

Data = Annotated[
    Path,
    typer.Argument(
        help="Folder with one folder per class, CSV or Parquet file, demo, or cub:ROOT, "
        "cars:ROOT, sop:ROOT, inshop:ROOT."
    ),
]
AllowPartial = Annotated[
    bool,
    typer.Option("--allow-partial", help="Take what is there of cub:ROOT and its like."),
]
ColumnNames = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="NAME=COLUMN",
        help="What a table calls a column, e.g. path=file or group=seller. Repeats.",
    ),
]


def named_columns(names: list[str] | None) -> "Columns":
    """Read `--column` options.

    Raises:
        UsageError: One is not of the form NAME=COLUMN.
        ConfigError: There is no such NAME.
    """
    from lookalike.config import parse
    from lookalike.data import Columns

    pairs = [name.split("=", 1) for name in names or []]
    for pair in pairs:
        if len(pair) != 2 or not all(pair):
            raise UsageError(f"--column {'='.join(pair)}: write it as NAME=COLUMN")
    columns: Columns = parse(Columns, dict(pairs), source="--column")
    return columns


def open_catalog(
    data: Path,
    columns: list[str] | None,
    *,
    split: str | None = "all",
    allow_partial: bool = False,
) -> "Catalog":
    """Read a catalog, and take one split of it.

    Args:
        data: As `lookalike.data.open_named` takes it.
        columns: As on the command line.
        split: Its name; "all" takes everything; None takes "test" where there is one, else
            everything.
        allow_partial: Whether a benchmark may lack pictures.

    Raises:
        CatalogError: The catalog cannot be read, or there is no such split.
        UsageError: It names a benchmark that there is not.
    """
    from lookalike.data import open_named

    catalog = open_named(data, columns=named_columns(columns), allow_partial=allow_partial)
    if split == "all" or (split is None and "test" not in catalog.split_names):
        return catalog
    return catalog.split(split or "test")


def require_folder(out: Path) -> None:
    """Make sure, before the work and not after it, that a file can be written.

    Raises:
        UsageError: Its folder is not there.
    """
    if not out.parent.is_dir():
        raise UsageError(f"--out {out}: there is no folder {out.parent}")


def make_folder(option: str, folder: Path) -> None:
    """Make a folder for results, before the work and not after it.

    Args:
        option: That named it, for messages.
        folder: Made with all the folders above it, where they are not there.

    Raises:
        UsageError: A file is in its place.
        LookalikeError: It cannot be made.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{option} {folder}: this is a file; name a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LookalikeError(f"{option} {folder}: cannot be made: {error.strerror}") from None
