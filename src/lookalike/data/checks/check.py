"""Checking a catalog before a training run: every file, row, class and split."""

import os
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.entries import count_and_list
from lookalike.data.catalog.folder_tree import SUFFIXES, FolderTree, read_tree
from lookalike.data.catalog.splits import shared_classes
from lookalike.data.catalog.tables import STANDARD, Columns, read_table
from lookalike.data.checks.file_checks import check_files
from lookalike.data.checks.findings import KINDS, CheckFinding, CheckReport
from lookalike.data.pictures.decode import MAX_PIXELS
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
        findings += _duplicates(catalog, digests)
        findings += _class_findings(catalog, few)
    order = {kind: place for place, kind in enumerate(KINDS)}
    return CheckReport(
        source=name,
        images=0 if catalog is None else len(catalog),
        classes=0 if catalog is None else len(catalog.classes),
        findings=tuple(sorted(findings, key=lambda finding: order[finding.kind])),
        row_word=row_word,
    )


def _read(
    source: str | Path, root: str | Path | None, columns: Columns
) -> tuple[Catalog | None, list[CheckFinding], str]:
    """Read as much of a catalog as can be read; return also what its rows are called."""
    base = Path(source)
    if os.path.isdir(source):
        tree = read_tree(source)
        entries, findings, row_word = tree.entries, list(_tree_findings(tree)), ""
    elif not os.path.exists(source):
        raise CatalogError(f"{source}: no such file or folder")
    else:
        try:
            row_word, base, entries, problems = read_table(source, columns, root=root)
        except CatalogError as error:
            return None, [CheckFinding("bad-catalog", str(error))], ""
        findings = [CheckFinding("bad-row", bad.message, bad.path, bad.row) for bad in problems]
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


def _class_findings(catalog: Catalog, few: int) -> Iterator[CheckFinding]:
    """Find classes that are shared, small or alike by name, and queries without a match."""
    shared = shared_classes(catalog)
    if shared:
        yield CheckFinding(
            "shared-classes",
            f"classes in train and in test: {count_and_list(shared)}; figures will not tell how a "
            f"model does on new classes",
        )
    if len(catalog.classes) == 1:
        yield CheckFinding("one-class", f"all are {catalog.class_name(0)}: nothing to tell apart")
    if catalog.split_names and None in catalog.splits:
        outside = [catalog.paths[i] for i, split in enumerate(catalog.splits) if not split]
        message = f"pictures in no split, so they are not used: {count_and_list(outside)}"
        yield CheckFinding("without-split", message)
    yield from _small_classes(catalog, few)
    yield from _similar_names(catalog)
    yield from _unmatched_queries(catalog)


def _small_classes(catalog: Catalog, few: int) -> Iterator[CheckFinding]:
    for split in sorted({split or "" for split in catalog.splits}):
        here = np.array([(name or "") == split for name in catalog.splits])
        counts = catalog.subset(here).counts()
        where = f" in split {split}" if split else ""
        for kind, found, meaning in (
            ("single-image-class", counts == 1, "one picture, so without positives"),
            ("small-class", (counts > 1) & (counts < few), f"fewer than {few} pictures"),
        ):
            if names := [catalog.class_names[code] for code in np.flatnonzero(found)]:
                message = f"classes{where} with {meaning}: {count_and_list(names)}"
                yield CheckFinding(kind, message)


def _similar_names(catalog: Catalog) -> Iterator[CheckFinding]:
    spellings: defaultdict[str, list[str]] = defaultdict(list)
    for code in catalog.classes.tolist():
        name = catalog.class_names[code]
        plain = unicodedata.normalize("NFKC", name).casefold()
        spellings[" ".join(plain.replace("_", " ").replace("-", " ").split())].append(name)
    for names in spellings.values():
        if len(names) > 1:
            quoted = ", ".join(map(repr, names))
            yield CheckFinding("similar-class-names", f"{quoted} are different classes by name")


def _unmatched_queries(catalog: Catalog) -> Iterator[CheckFinding]:
    roles = np.array(catalog.roles, dtype=object)
    query, gallery = (np.unique(catalog.labels[roles == role]) for role in ("query", "gallery"))
    alone = [catalog.class_names[code] for code in np.setdiff1d(query, gallery).tolist()]
    if alone:
        yield CheckFinding(
            "query-without-match",
            f"classes with queries but nothing in the gallery: {count_and_list(alone)}",
        )


def _duplicates(catalog: Catalog, digests: Sequence[bytes | None]) -> Iterator[CheckFinding]:
    """Find files with the same content and the same box, or no box."""
    first: dict[tuple[bytes, bytes], int] = {}
    for i, digest in enumerate(digests):
        if digest is None:
            continue
        earlier = first.setdefault((digest, catalog.boxes[i].tobytes()), i)
        if earlier == i:
            continue
        if _where(catalog, i) != _where(catalog, earlier):
            kind = "duplicate-across-splits"
        elif catalog.labels[i] != catalog.labels[earlier]:
            kind = "duplicate-across-classes"
        else:
            kind = "duplicate"
        yield CheckFinding(
            kind,
            f"({_described(catalog, i)}) has the content of {catalog.paths[earlier]} "
            f"({_described(catalog, earlier)})",
            catalog.paths[i],
            int(catalog.rows[i]),
        )


def _where(catalog: Catalog, i: int) -> tuple[str | None, str | None]:
    return catalog.splits[i], catalog.roles[i]


def _described(catalog: Catalog, i: int) -> str:
    known = [f"class {catalog.class_name(i)}", *_where(catalog, i)]
    return ", ".join(text for text in known if text)
