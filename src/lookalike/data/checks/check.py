"""Checking a catalog before it costs a training run: every file, row, class and split."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.cells import entries_of
from lookalike.data.catalog.columns import STANDARD, Columns
from lookalike.data.catalog.entries import Entry, counted
from lookalike.data.catalog.folders import SUFFIXES, Tree, read_tree
from lookalike.data.catalog.tables import read_table
from lookalike.data.checks.classes import check_classes, check_duplicates
from lookalike.data.checks.files import check_files
from lookalike.data.checks.findings import CheckReport, Finding, in_order
from lookalike.data.pictures.files import MAX_PIXELS
from lookalike.errors import CatalogError
from lookalike.progress import Progress


def check(
    source: Catalog | str | Path,
    *,
    root: str | Path | None = None,
    columns: Columns = STANDARD,
    max_pixels: int = MAX_PIXELS,
    few: int = 4,
    workers: int = 4,
    progress: Progress | None = None,
) -> CheckReport:
    """Look at everything that a catalog names, and list what is wrong or unusual with it.

    Bad rows are left out, the rest is checked all the same. Every picture is decoded in full.

    Args:
        source: A catalog, or what one can be read from: a folder, a CSV or Parquet file.
        root: Where a table's relative paths begin; its folder if None.
        columns: What a table's columns are called.
        max_pixels: A picture with more pixels is too large.
        few: A class with fewer pictures than this in a split is small.
        workers: Threads that read at once.
        progress: Called after each picture with how many are done, and of how many.

    Raises:
        CatalogError: There is nothing at `source`, or nothing that a catalog can be.
    """
    read = _read(source, root, columns)
    findings = list(read.findings)
    if read.catalog is None:
        return CheckReport(read.source, 0, 0, in_order(findings), read.row_word)
    found, digests = check_files(
        read.catalog, max_pixels=max_pixels, workers=workers, progress=progress
    )
    findings += found
    findings += check_duplicates(read.catalog, digests)
    findings += check_classes(read.catalog, few=few)
    return CheckReport(
        source=read.source,
        images=len(read.catalog),
        classes=len(read.catalog.classes),
        findings=in_order(findings),
        row_word=read.row_word,
    )


@dataclass(frozen=True, slots=True)
class _Read:
    source: str
    catalog: Catalog | None
    findings: list[Finding]
    row_word: str


def _read(source: Catalog | str | Path, root: str | Path | None, columns: Columns) -> _Read:
    """Read as much of a catalog as can be read."""
    if isinstance(source, Catalog):
        return _Read(str(source.root), source, [], "row")
    if os.path.isdir(source):
        tree = read_tree(source)
        return _collected(source, source, tree.entries, list(_tree_findings(tree)), "")
    if not os.path.exists(source):
        raise CatalogError(f"{source}: no such file or folder")
    try:
        table = read_table(source, columns)
    except CatalogError as error:
        return _Read(str(source), None, [Finding("bad-catalog", str(error))], "")
    base = Path(source).parent if root is None else Path(root)
    entries, problems = entries_of(table, columns, base)
    findings = [Finding("bad-row", fault.message, fault.path, fault.row) for fault in problems]
    return _collected(source, base, entries, findings, table.word)


def _collected(
    source: str | Path,
    root: str | Path,
    entries: Sequence[Entry],
    findings: list[Finding],
    row_word: str,
) -> _Read:
    if entries:
        return _Read(str(source), Catalog.from_entries(root, entries), findings, row_word)
    nothing = Finding("no-images", f"no pictures; known are {' '.join(sorted(SUFFIXES))}")
    return _Read(str(source), None, [*findings, nothing], row_word)


def _tree_findings(tree: Tree) -> Iterator[Finding]:
    for folder in tree.unreadable:
        yield Finding("permission", "the folder may not be looked into", folder)
    for folder in tree.empty:
        yield Finding("empty-class", "no pictures in it, so it is no class", folder)
    for path in tree.stray:
        yield Finding("no-class", "lies in no class folder and is not used", path)
    for folder in tree.loops:
        yield Finding("folder-loop", "was read already for this class and is not again", folder)
    if tree.junk:
        yield Finding("ignored-junk", f"hidden or system files and folders: {counted(tree.junk)}")
    if tree.others:
        yield Finding("ignored-file", f"files that are no pictures by name: {counted(tree.others)}")
