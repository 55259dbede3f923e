"""The pictures that a command works on, and the folders that it writes to."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.errors import UsageError

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
    typer.Option("--allow-partial", help="Accept an incomplete cub:ROOT, cars:ROOT, ..."),
]
ColumnNames = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="NAME=COLUMN",
        help="The name of a column in a table, e.g. path=file or group=seller. Repeats.",
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
    """Read a catalog, or one split of it.

    Args:
        data: As `lookalike.data.open_named` takes it.
        columns: As on the command line.
        split: Its name; "all" is everything; None is "test" if there is one, otherwise everything.
        allow_partial: Whether pictures of a benchmark may be missing.

    Raises:
        CatalogError: The catalog cannot be read, or has no such split.
        UsageError: There is no such benchmark.
    """
    from lookalike.data import open_named

    catalog = open_named(data, columns=named_columns(columns), allow_partial=allow_partial)
    if split == "all" or (split is None and "test" not in catalog.split_names):
        return catalog
    return catalog.split(split or "test")


def require_folder(out: Path) -> None:
    """Check before the work that a file can be written.

    Raises:
        UsageError: Its folder does not exist.
    """
    if not out.parent.is_dir():
        raise UsageError(f"--out {out}: there is no folder {out.parent}")
