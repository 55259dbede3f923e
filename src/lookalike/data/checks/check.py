"""Checking a catalog before a training run: every file, row, class and split."""

import os
from collections.abc import Iterator
from pathlib import Path

from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.cell_tables import read_table
from lookalike.data.catalog.columns import STANDARD, Columns
from lookalike.data.catalog.entries import Entry
from lookalike.data.catalog.folder_tree import SUFFIXES, FolderTree, read_tree
from lookalike.data.catalog.messages import count_and_list
from lookalike.data.catalog.row_parsing import parse_rows
from lookalike.data.checks.class_checks import check_classes, check_duplicates
from lookalike.data.checks.file_checks import check_files
from lookalike.data.checks.findings import CheckFinding, CheckReport, by_severity
from lookalike.data.pictures.picture_files import MAX_PIXELS
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
    """List what is wrong or unusual in a catalog.

    Bad rows are left out and the rest is still checked. Every picture is decoded in full.

    Args:
        source: A catalog, or a folder, CSV or Parquet file that one can be read from.
        root: Where a table's relative paths begin; its folder if None.
        columns: What a table's columns are called.
        max_pixels: A picture with more pixels is too large.
        few: A class with fewer pictures than this in a split is small.
        workers: Threads that read at once.
        progress: Called after each picture.

    Raises:
        CatalogError: There is nothing at `source`.
    """
    if isinstance(source, Catalog):
        catalog: Catalog | None = source
        name, row_word = str(source.root), "row"
        findings: list[CheckFinding] = []
    else:
        name = str(source)
        catalog, findings, row_word = _read(source, root, columns)
    if catalog is not None:
        from_files, digests = check_files(
            catalog, max_pixels=max_pixels, workers=workers, progress=progress
        )
        findings += from_files
        findings += check_duplicates(catalog, digests)
        findings += check_classes(catalog, few=few)
    return CheckReport(
        source=name,
        images=0 if catalog is None else len(catalog),
        classes=0 if catalog is None else len(catalog.classes),
        findings=by_severity(findings),
        row_word=row_word,
    )


def _read(
    source: str | Path, root: str | Path | None, columns: Columns
) -> tuple[Catalog | None, list[CheckFinding], str]:
    """Read as much of a catalog as can be read; return also what its rows are called."""
    entries: list[Entry]
    base = Path(source)
    if os.path.isdir(source):
        tree = read_tree(source)
        entries, findings, row_word = list(tree.entries), list(_tree_findings(tree)), ""
    elif not os.path.exists(source):
        raise CatalogError(f"{source}: no such file or folder")
    else:
        try:
            table = read_table(source, columns)
        except CatalogError as error:
            return None, [CheckFinding("bad-catalog", str(error))], ""
        base = base.parent if root is None else Path(root)
        entries, problems = parse_rows(table, columns, base)
        findings = [CheckFinding("bad-row", bad.message, bad.path, bad.row) for bad in problems]
        row_word = table.word
    if entries:
        return Catalog.from_entries(base, entries), findings, row_word
    known = " ".join(sorted(SUFFIXES))
    findings.append(CheckFinding("no-images", f"no pictures; known are {known}"))
    return None, findings, row_word


def _tree_findings(tree: FolderTree) -> Iterator[CheckFinding]:
    for folder in tree.unreadable:
        yield CheckFinding("permission", "the folder cannot be listed", folder)
    for folder in tree.empty:
        yield CheckFinding("empty-class", "no pictures in it, so it is no class", folder)
    for path in tree.stray:
        yield CheckFinding("no-class", "is in no class folder and is not used", path)
    for folder in tree.loops:
        yield CheckFinding("folder-loop", "was already read for this class; skipped", folder)
    if tree.junk:
        junk = f"hidden or system files and folders: {count_and_list(tree.junk)}"
        yield CheckFinding("ignored-junk", junk)
    if tree.others:
        others = f"files that are no pictures by name: {count_and_list(tree.others)}"
        yield CheckFinding("ignored-file", others)
