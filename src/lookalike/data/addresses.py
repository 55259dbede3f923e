"""Catalogs by one word, as on the command line: a path, the demo, or a benchmark and its root."""

import os
from importlib.resources import files
from pathlib import Path

from lookalike.data.benchmarks import BENCHMARKS
from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.tables import STANDARD, Columns
from lookalike.errors import UsageError

DEMO = "demo"
DEMO_MARK = ".lookalike-demo"
"""Marks a folder that `lookalike demo` made. It is no catalog, and may be overwritten."""


def demo_catalog() -> Catalog:
    """Return the bundled emoji: a class is a concept, a group is the style it was drawn in.

    1,280 pictures of 64 or 72 pixels on white: 320 concepts, each drawn by four teams of artists.
    160 concepts are in split "train", the others in "test". The licences are in `LICENSES.md`
    beside the pictures.

    >>> len(demo_catalog().split("test").classes)
    160
    """
    folder = Path(str(files("lookalike.data").joinpath("emoji")))
    return Catalog.from_csv(folder / "catalog.csv", columns=Columns(group="style"))


def open_named(
    text: str | Path, *, columns: Columns = STANDARD, allow_partial: bool = False
) -> Catalog:
    """Read what a word names: a folder, a CSV or Parquet file, "demo", or e.g. "cub:ROOT".

    A file or folder that is called demo is read instead of the bundled pictures. The exception is
    the folder that `lookalike demo` makes, which holds runs and no pictures.

    Args:
        text: The word.
        columns: What a table's columns are called.
        allow_partial: Of a benchmark, use what is there, and warn about what is missing.

    Raises:
        UsageError: There is no benchmark of that name.
        CatalogError: The catalog cannot be read.

    >>> len(open_named("demo"))
    1280
    """
    text = str(text)
    if text == DEMO and (not os.path.exists(text) or os.path.exists(os.path.join(text, DEMO_MARK))):
        return demo_catalog()
    name, colon, root = text.partition(":")
    if root and name in BENCHMARKS:
        return BENCHMARKS[name].load(Path(root).expanduser(), allow_partial=allow_partial)
    if (colon or name in BENCHMARKS) and not os.path.exists(text):
        known = ", ".join([DEMO, *(f"{each}:ROOT" for each in BENCHMARKS)])
        raise UsageError(
            f"{text}: no such file or folder, and no such data set; there are: {known}"
        )
    return Catalog.from_path(text, columns=columns)
