"""Reading a class-per-folder tree."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from lookalike.data.catalog.entries import Entry
from lookalike.errors import CatalogError

SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff"})
"""Files taken for pictures, upper or lower case."""

JUNK = frozenset({"thumbs.db", "desktop.ini", "__macosx", "@eadir"})
"""Left by operating systems and archives; so is everything whose name begins with a dot."""

PARTS = {
    "train": ("train", None),
    "val": ("val", None),
    "test": ("test", None),
    "query": ("test", "query"),
    "gallery": ("test", "gallery"),
}
"""Folders that are splits, with the split and the role they stand for."""


@dataclass(frozen=True, slots=True)
class Tree:
    """What a class-per-folder tree holds; every path is relative to its root.

    Args:
        entries: The pictures, in byte order of their paths.
        empty: Class folders without a picture.
        stray: Pictures that lie in no class folder.
        junk: Hidden and system files and folders, which are not looked into.
        others: Files that are no pictures by their suffix.
        unreadable: Folders that may not be listed.
        loops: Folders that were read already for their class: links in a circle, or twice to one.
    """

    entries: tuple[Entry, ...]
    empty: tuple[str, ...]
    stray: tuple[str, ...]
    junk: tuple[str, ...]
    others: tuple[str, ...]
    unreadable: tuple[str, ...]
    loops: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Notes:
    """What is met on the way and is no picture of a class."""

    stray: list[str] = field(default_factory=list)
    junk: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    loops: list[str] = field(default_factory=list)


def read_tree(root: str | Path) -> Tree:
    """Read a tree whose first folder level is the class; pictures lie anywhere below it.

    If every visible folder at the top is called train, val, test, query or gallery, these are
    splits and the classes are the folders below them; query and gallery are roles within the
    test split. Links to files keep the class of the path as given; links to folders are followed
    unless the folder they lead to was read already for that class.

    Raises:
        CatalogError: The root is not a folder.
    """
    root = str(root)
    if not os.path.isdir(root):
        reason = "not a folder" if os.path.exists(root) else "no such folder"
        raise CatalogError(f"{root}: {reason}; pass a folder that holds one folder per class")
    notes = _Notes()
    entries: list[Entry] = []
    empty: list[str] = []
    for folder, split, role in _class_folders(root, notes):
        label = os.path.basename(folder)
        pictures = _pictures(root, folder, notes)
        entries += [Entry(path, label, 0, split, role) for path in pictures]
        if not pictures:
            empty.append(folder)
    entries.sort(key=lambda entry: os.fsencode(entry.path))
    return Tree(
        entries=tuple(entry._replace(row=row) for row, entry in enumerate(entries)),
        empty=tuple(empty),
        stray=tuple(notes.stray),
        junk=tuple(notes.junk),
        others=tuple(notes.others),
        unreadable=tuple(notes.unreadable),
        loops=tuple(notes.loops),
    )


def _class_folders(root: str, notes: _Notes) -> list[tuple[str, str | None, str | None]]:
    """List the folders that are classes, each with its split and role."""
    tops, loose = _children(root, "", notes)
    notes.stray.extend(loose)
    if not tops or any(name.lower() not in PARTS for name in tops):
        return [(folder, None, None) for folder in tops]
    found: list[tuple[str, str | None, str | None]] = []
    for part in tops:
        folders, loose = _children(root, part, notes)
        notes.stray.extend(loose)
        found += [(folder, *PARTS[part.lower()]) for folder in folders]
    return found


def _pictures(root: str, top: str, notes: _Notes) -> list[str]:
    """List the pictures below a class folder; no folder is read twice, so circles end."""
    found: list[str] = []
    seen = {_identity(root)}
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        identity = _identity(os.path.join(root, folder))
        if identity in seen:
            notes.loops.append(folder)
            continue
        seen.add(identity)
        folders, pictures = _children(root, folder, notes)
        found += pictures
        waiting += reversed(folders)
    return found


def _children(root: str, folder: str, notes: _Notes) -> tuple[list[str], list[str]]:
    """List the folders and the pictures directly in a folder, in byte order, and note the rest."""
    folders: list[str] = []
    pictures: list[str] = []
    try:
        children = sorted(os.scandir(os.path.join(root, folder)), key=lambda x: os.fsencode(x.name))
    except OSError:
        notes.unreadable.append(folder or ".")
        return folders, pictures
    for child in children:
        path = f"{folder}/{child.name}" if folder else child.name
        if child.name.startswith(".") or child.name.lower() in JUNK:
            notes.junk.append(path)
        elif _is_folder(child):
            folders.append(path)
        elif os.path.splitext(child.name)[1].lower() in SUFFIXES:
            pictures.append(path)
        else:
            notes.others.append(path)
    return folders, pictures


def _is_folder(child: os.DirEntry[str]) -> bool:
    try:
        return child.is_dir()
    except OSError:  # a link to itself, or into a folder that may not be entered
        return False


def _identity(folder: str) -> tuple[int, int] | str:
    try:
        status = os.stat(folder)
    except OSError:  # it cannot be listed either, which is noted there
        return folder
    return status.st_dev, status.st_ino
