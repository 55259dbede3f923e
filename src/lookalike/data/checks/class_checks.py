"""Checks of a catalog's classes and splits, and of pictures that it has twice."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.messages import count_and_list
from lookalike.data.catalog.splits import shared_classes
from lookalike.data.checks.findings import CheckFinding


def check_classes(catalog: Catalog, *, few: int) -> Iterator[CheckFinding]:
    """Find classes that are shared, small or alike by name, and queries without a match.

    Args:
        catalog: With at least one picture.
        few: A class with fewer pictures than this in a split is small.
    """
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
        outside = [
            path for path, split in zip(catalog.paths, catalog.splits, strict=True) if not split
        ]
        message = f"pictures in no split, so they are not used: {count_and_list(outside)}"
        yield CheckFinding("without-split", message)
    yield from _small_classes(catalog, few)
    yield from _similar_names(catalog)
    yield from _unmatched_queries(catalog)


def _small_classes(catalog: Catalog, few: int) -> Iterator[CheckFinding]:
    for split in sorted({split or "" for split in catalog.splits}):
        here = np.array([(name or "") == split for name in catalog.splits])
        counts = np.bincount(catalog.labels[here], minlength=len(catalog.class_names))
        where = f" in split {split}" if split else ""
        single = [catalog.class_names[code] for code in np.flatnonzero(counts == 1)]
        if single:
            yield CheckFinding(
                "single-image-class",
                f"classes{where} with one picture, so without positives: {count_and_list(single)}",
            )
        small = [catalog.class_names[i] for i in np.flatnonzero((counts > 1) & (counts < few))]
        if small:
            yield CheckFinding(
                "small-class",
                f"classes{where} with fewer than {few} pictures: {count_and_list(small)}",
            )


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


def check_duplicates(catalog: Catalog, digests: Sequence[bytes | None]) -> Iterator[CheckFinding]:
    """Find files with the same content and the same box, or no box.

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
        if _split_and_role(catalog, i) != _split_and_role(catalog, earlier):
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


def _split_and_role(catalog: Catalog, i: int) -> tuple[str | None, str | None]:
    return catalog.splits[i], catalog.roles[i]


def _described(catalog: Catalog, i: int) -> str:
    known = [f"class {catalog.class_name(i)}", *_split_and_role(catalog, i)]
    return ", ".join(text for text in known if text)
