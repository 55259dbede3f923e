"""The layouts of a benchmark: finding the one that a folder has, and listing class folders."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lookalike.data.catalog.entries import Entry, count_and_list, listed
from lookalike.data.catalog.folder_tree import read_tree
from lookalike.errors import CatalogError

ANY_NAME = re.compile(".*", re.DOTALL)


@dataclass(frozen=True, slots=True, eq=False)
class LayoutContents:
    """What the files of one layout list, whether the pictures are there or not.

    Args:
        root: Where the entries' paths begin.
        entries: One for each picture listed. Its split is "train" or "test", with a role beside it
            for In-Shop. Its class has a name that no other class has.
        keypoint_names: Names of the keypoints, in their order; empty where there are none.
        notes: What a user should know about this copy, one sentence each.
        class_names: All classes in the data set's own order; empty where the order of
            `Catalog.from_entries` is as good.
        layout: The layout's name; `read_layout` fills it in.
    """

    root: Path
    entries: tuple[Entry, ...]
    keypoint_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    class_names: tuple[str, ...] = ()
    layout: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """One way in which the files of a benchmark are arranged.

    Args:
        name: A short phrase that names the files it is recognised by, e.g. "official tree
            (images.txt, image_class_labels.txt)".
        fits: Whether a folder has this layout; looks at few files.
        read: Reads a folder that has it; takes the folder and whether the closed-set split is
            asked for. Counts and missing pictures are not checked here.
    """

    name: str
    fits: Callable[[Path], bool]
    read: Callable[[Path, bool], LayoutContents]


def has(*names: str) -> Callable[[Path], bool]:
    """Return a test whether a folder has all of these files or folders."""
    return lambda folder: all((folder / name).exists() for name in names)


def has_folders_in(*subs: str, named: re.Pattern[str] = ANY_NAME) -> Callable[[Path], bool]:
    """Return a test whether each of a folder's `subs` has a folder that is named like this."""
    return lambda folder: all(
        any(named.fullmatch(name) for name in folder_names(folder / sub)) for sub in subs
    )


def read_layout(
    title: str, root: str | Path, layouts: Sequence[Layout], *, closed_set: bool
) -> LayoutContents:
    """Read the first layout that fits the root or a folder directly in it.

    Args:
        title: The benchmark's name, for messages.
        root: Where to look.
        layouts: The most official one first; an earlier one wins wherever it is.
        closed_set: Whether the closed-set split is asked for.

    Returns:
        What was read; its notes name the other layouts that fit too.

    Raises:
        CatalogError: The root is no folder, or has none of the layouts.
    """
    root = Path(root)
    if not root.is_dir():
        reason = "not a folder" if root.exists() else "no such folder"
        raise CatalogError(f"{root}: {reason}; pass the folder that holds the data set")
    places = [root, *(root / name for name in folder_names(root))]
    fitting = [(layout, place) for layout in layouts for place in places if layout.fits(place)]
    if not fitting:
        known = "\n".join(f"  {layout.name}" for layout in layouts)
        raise CatalogError(
            f"{root}: no known layout of {title}, here or one folder down; looked for:\n{known}"
        )
    (layout, place), *others = fitting
    contents = layout.read(place, closed_set)
    also = tuple(
        f"also there, not used: {other.name} in {where}"
        for other, where in others
        if not where.is_relative_to(place)  # a folder within the copy is part of it
    )
    return replace(contents, layout=layout.name, notes=contents.notes + also)


def folder_names(folder: Path) -> list[str]:
    """List the visible folders directly in a folder, in order; none if it cannot be listed."""
    try:
        with os.scandir(folder) as children:
            names = sorted(child.name for child in children if child.is_dir())
    except OSError:  # it is not there, is not a folder, or access is denied
        return []
    return [name for name in names if not name.startswith(".")]


def class_folders(base: Path, subs: Mapping[str, str | None]) -> tuple[Entry, ...]:
    """List the pictures in trees with one folder for each class.

    Hidden files are passed over, also the "._*" files of some archives.

    Args:
        base: Where paths begin.
        subs: The folders below it that hold class folders, each with its split.

    Raises:
        CatalogError: A folder cannot be read.
    """
    entries: list[Entry] = []
    for sub, split in subs.items():
        tree = read_tree(base / sub)
        if tree.unreadable:
            raise CatalogError(
                f"{base / sub}: cannot look into {listed(tree.unreadable)}; grant access"
            )
        entries += [
            entry._replace(path=f"{sub}/{entry.path}", split=split, row=len(entries) + entry.row)
            for entry in tree.entries
        ]
    return tuple(entries)


def image_folders(base: Path, *, closed_set: bool, instead: str) -> tuple[Entry, ...]:
    """List the pictures of a tree with images/CLASS folders, which has no split of its own.

    Raises:
        CatalogError: The closed-set split is asked for; the message says what to pass `instead`.
    """
    if closed_set:
        raise CatalogError(
            f"{base}: class folders do not say what the closed-set split is; pass {instead}"
        )
    return class_folders(base, {"images": None})


def train_test_folders(base: Path, *, closed_set: bool) -> tuple[Entry, ...]:
    """List the pictures of a tree with train/CLASS and test/CLASS folders, which are its splits.

    Raises:
        CatalogError: Train and test share classes though the class-disjoint split is asked for,
            or share none though the closed-set split is.
    """
    entries = class_folders(base, {"train": "train", "test": "test"})
    train, test = ({e.label for e in entries if e.split == split} for split in ("train", "test"))
    shared = sorted(train & test)
    if shared and not closed_set:
        raise CatalogError(
            f"{base}: classes in train/ and in test/: {count_and_list(shared)}; it is not the "
            f"class-disjoint split that published figures are measured on. Pass a copy in another "
            f"layout, or ask for the closed set (closed_set=True)"
        )
    if closed_set and not shared:
        raise CatalogError(
            f"{base}: train/ and test/ share no class, so there is no closed-set split here; "
            f"leave out closed_set"
        )
    return entries
