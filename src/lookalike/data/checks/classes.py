"""Checks of what classes and splits a catalog has, and which pictures it has twice."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.entries import counted
from lookalike.data.catalog.splits import shared_classes
from lookalike.data.checks.findings import Finding


def check_classes(catalog: Catalog, *, few: int) -> Iterator[Finding]:
    """Find classes that are shared, small or alike by name, and queries that have no match.

    Args:
        catalog: With at least one picture.
        few: A class with fewer pictures than this in a split is small.
    """
    shared = shared_classes(catalog)
    if shared:
        yield Finding(
            "shared-classes",
            f"classes in train and in test: {counted(shared)}; figures will not tell how a model "
            f"does on new classes",
        )
    if len(catalog.classes) == 1:
        yield Finding("one-class", f"all are {catalog.class_name(0)}: nothing to tell apart")
    if catalog.split_names and None in catalog.splits:
        outside = [
            path for path, split in zip(catalog.paths, catalog.splits, strict=True) if not split
        ]
        yield Finding("without-split", f"pictures in no split, so in no use: {counted(outside)}")
    yield from _small(catalog, few)
    yield from _alike(catalog)
    yield from _unmatched(catalog)


def _small(catalog: Catalog, few: int) -> Iterator[Finding]:
    for split in sorted({split or "" for split in catalog.splits}):
        here = np.array([(name or "") == split for name in catalog.splits])
        counts = np.bincount(catalog.labels[here], minlength=len(catalog.class_names))
        where = f" in split {split}" if split else ""
        single = [catalog.class_names[code] for code in np.flatnonzero(counts == 1)]
        if single:
            yield Finding(
                "single-image-class",
                f"classes{where} with one picture, so nothing to be alike to: {counted(single)}",
            )
        small = [catalog.class_names[i] for i in np.flatnonzero((counts > 1) & (counts < few))]
        if small:
            yield Finding(
                "small-class",
                f"classes{where} with fewer than {few} pictures: {counted(small)}",
            )


def _alike(catalog: Catalog) -> Iterator[Finding]:
    spellings: defaultdict[str, list[str]] = defaultdict(list)
    for code in catalog.classes.tolist():
        name = catalog.class_names[code]
        plain = unicodedata.normalize("NFKC", name).casefold()
        spellings[" ".join(plain.replace("_", " ").replace("-", " ").split())].append(name)
    for names in spellings.values():
        if len(names) > 1:
            quoted = ", ".join(map(repr, names))
            yield Finding("similar-class-names", f"{quoted} are different classes by their names")


def _unmatched(catalog: Catalog) -> Iterator[Finding]:
    roles = np.array(catalog.roles, dtype=object)
    query, gallery = (np.unique(catalog.labels[roles == role]) for role in ("query", "gallery"))
    alone = [catalog.class_names[code] for code in np.setdiff1d(query, gallery).tolist()]
    if alone:
        yield Finding(
            "query-without-match",
            f"classes with queries but nothing in the gallery: {counted(alone)}",
        )


def check_duplicates(catalog: Catalog, digests: Sequence[bytes | None]) -> Iterator[Finding]:
    """Find files with the same content, cut by the same box or by none.

    Args:
        catalog: The pictures.
        digests: Of each picture's file; None where it could not be read.
    """
    first: dict[tuple[bytes, bytes], int] = {}
    for i, digest in enumerate(digests):
        if digest is None:
            continue
        earlier = first.setdefault((digest, catalog.boxes[i].tobytes()), i)
        if earlier == i:
            continue
        here, there = _part(catalog, i), _part(catalog, earlier)
        if here != there:
            kind = "duplicate-across-splits"
        elif catalog.labels[i] != catalog.labels[earlier]:
            kind = "duplicate-across-classes"
        else:
            kind = "duplicate"
        yield Finding(
            kind,
            f"({_described(catalog, i)}) has the content of {catalog.paths[earlier]} "
            f"({_described(catalog, earlier)})",
            catalog.paths[i],
            int(catalog.rows[i]),
        )


def _part(catalog: Catalog, i: int) -> tuple[str | None, str | None]:
    return catalog.splits[i], catalog.roles[i]


def _described(catalog: Catalog, i: int) -> str:
    parts = [f"class {catalog.class_name(i)}", *(part for part in _part(catalog, i) if part)]
    return ", ".join(parts)
