"""Finding which layout of a benchmark lies at a root, or one folder below it."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lookalike.data.benchmarks.benchmark import Found
from lookalike.data.catalog.entries import Entry, counted, listed
from lookalike.data.catalog.folders import read_tree
from lookalike.errors import CatalogError


@dataclass(frozen=True, slots=True)
class Layout:
    """One way in which the files of a benchmark lie.

    Args:
        name: A short phrase for people that names the files it is known by.
        fits: Whether a folder has this layout; looks at few files.
        read: Reads a folder that has it; takes the folder and whether the closed-set split is
            asked for.
    """

    name: str
    fits: Callable[[Path], bool]
    read: Callable[[Path, bool], Found]


def has(*names: str) -> Callable[[Path], bool]:
    """Return a test of a folder for files or folders that must all be in it."""
    return lambda folder: all((folder / name).exists() for name in names)


def read_layout(
    title: str, root: str | Path, layouts: Sequence[Layout], *, closed_set: bool
) -> Found:
    """Read the first layout that fits the root or a folder directly in it.

    Args:
        title: What the benchmark is called, for messages.
        root: Where to look.
        layouts: The most official first; an earlier one wins wherever it stands.
        closed_set: Whether the closed-set split is asked for.

    Returns:
        What was read; its notes name the other layouts that would fit, too.

    Raises:
        CatalogError: The root is no folder, or holds none of the layouts.
    """
    places = places_of(root)
    fitting = [(layout, place) for layout in layouts for place in places if layout.fits(place)]
    if not fitting:
        known = "\n".join(f"  {layout.name}" for layout in layouts)
        raise CatalogError(
            f"{root}: no known layout of {title}, here or one folder down; looked for:\n{known}"
        )
    (layout, place), *others = fitting
    found = layout.read(place, closed_set)
    also = tuple(
        f"also there, not used: {other.name} in {where}"
        for other, where in others
        if not where.is_relative_to(place)  # what lies within the copy is part of it
    )
    return replace(found, notes=found.notes + also)


def places_of(root: str | Path) -> list[Path]:
    """List the root and the visible folders directly in it, in order of their names.

    Raises:
        CatalogError: The root is not a folder.
    """
    root = Path(root)
    if not root.is_dir():
        reason = "not a folder" if root.exists() else "no such folder"
        raise CatalogError(f"{root}: {reason}; pass the folder that the data set lies in")
    return [root, *(root / name for name in folder_names(root))]


def folder_names(folder: Path) -> list[str]:
    """List the visible folders directly in a folder, in order; none if it cannot be listed."""
    try:
        with os.scandir(folder) as children:
            names = sorted(child.name for child in children if child.is_dir())
    except OSError:  # not there, not a folder, or closed to us: no layout can be read from it
        return []
    return [name for name in names if not name.startswith(".")]


def class_folders(base: Path, subs: Mapping[str, str | None]) -> tuple[Entry, ...]:
    """List the pictures in trees with one folder for each class.

    Hidden files, among them the "._*" files of some archives, are passed over.

    Args:
        base: Where paths begin.
        subs: Folders below it that hold the class folders, with the split that each stands for.

    Raises:
        CatalogError: A folder may not be read.
    """
    entries: list[Entry] = []
    for sub, split in subs.items():
        tree = read_tree(base / sub)
        if tree.unreadable:
            raise CatalogError(
                f"{base / sub}: may not look into {listed(tree.unreadable)}; grant access"
            )
        entries += [
            entry._replace(path=f"{sub}/{entry.path}", split=split, row=len(entries) + entry.row)
            for entry in tree.entries
        ]
    return tuple(entries)


def train_test_folders(base: Path, *, closed_set: bool) -> tuple[Entry, ...]:
    """List the pictures of a tree with train/CLASS and test/CLASS folders, each half its split.

    Raises:
        CatalogError: Halves share classes though the class-disjoint split is asked for, or share
            none though the closed-set split is.
    """
    entries = class_folders(base, {"train": "train", "test": "test"})
    halves = [
        {entry.label for entry in entries if entry.split == half} for half in ("train", "test")
    ]
    shared = sorted(set.intersection(*halves))
    if shared and not closed_set:
        raise CatalogError(
            f"{base}: classes in train/ and in test/: {counted(shared)}; it is not the "
            f"class-disjoint split that published figures are measured on. Pass a copy in another "
            f"layout, or ask for the closed set (closed_set=True)"
        )
    if closed_set and not shared:
        raise CatalogError(
            f"{base}: train/ and test/ share no class, so there is no closed-set split here; "
            f"leave out closed_set"
        )
    return entries
