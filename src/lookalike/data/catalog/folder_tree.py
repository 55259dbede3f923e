"""Reading a tree with one folder for each class."""

import os
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from lookalike.data.catalog.entries import Entry
from lookalike.errors import CatalogError

SUFFIXES_OF = {
    "JPEG": {".jpg", ".jpeg"},
    "MPO": {".jpg", ".jpeg"},  # several JPEGs in one file, as phones write them
    "PNG": {".png"},
    "WEBP": {".webp"},
    "GIF": {".gif"},
    "BMP": {".bmp"},
    "TIFF": {".tif", ".tiff"},
}
"""The suffixes that agree with each format that Pillow finds in a file."""

SUFFIXES = frozenset(chain.from_iterable(SUFFIXES_OF.values()))
"""Files with these suffixes are pictures, in upper or lower case."""

JUNK = frozenset({"thumbs.db", "desktop.ini", "__macosx", "@eadir"})
"""Left by operating systems and archives. Every name that begins with a dot is junk too."""

SPLIT_FOLDERS = {
    "train": ("train", None),
    "val": ("val", None),
    "test": ("test", None),
    "query": ("test", "query"),
    "gallery": ("test", "gallery"),
}
"""Folders that are splits, with their split and role."""


@dataclass(frozen=True, slots=True)
class FolderTree:
    """What a tree of class folders holds; every path is relative to its root.

    Args:
        root: The tree.
        entries: The pictures, in byte order of their paths.
        empty: Class folders without a picture.
        stray: Pictures outside of every class folder.
        junk: Hidden and system files and folders; these folders are not read.
        others: Files that are no pictures by their suffix.
        unreadable: Folders that cannot be listed.
        loops: Folders that were already read for their class: links in a circle, or a second link.
    """

    root: str
    entries: list[Entry] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    stray: list[str] = field(default_factory=list)
    junk: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    loops: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for folder, split, role in self._class_folders():
            pictures = self._pictures_below(folder)
            label = os.path.basename(folder)
            self.entries.extend(Entry(path, label, 0, split, role) for path in pictures)
            if not pictures:
                self.empty.append(folder)
        self.entries.sort(key=lambda entry: os.fsencode(entry.path))
        self.entries[:] = [entry._replace(row=row) for row, entry in enumerate(self.entries)]

    def _class_folders(self) -> list[tuple[str, str | None, str | None]]:
        """List the class folders, each with its split and role."""
        tops, loose = self._children("")
        self.stray.extend(loose)
        if not tops or any(name.lower() not in SPLIT_FOLDERS for name in tops):
            return [(folder, None, None) for folder in tops]
        found: list[tuple[str, str | None, str | None]] = []
        for top in tops:
            folders, loose = self._children(top)
            self.stray.extend(loose)
            found += [(folder, *SPLIT_FOLDERS[top.lower()]) for folder in folders]
        return found

    def _pictures_below(self, top: str) -> list[str]:
        """List the pictures below a class folder; no folder is read twice, so circles end."""
        found: list[str] = []
        seen = {self._identity("")}
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            identity = self._identity(folder)
            if identity in seen:
                self.loops.append(folder)
                continue
            seen.add(identity)
            folders, pictures = self._children(folder)
            found += pictures
            waiting += reversed(folders)
        return found

    def _children(self, folder: str) -> tuple[list[str], list[str]]:
        """List the folders and pictures directly in a folder, in byte order; note the rest."""
        folders: list[str] = []
        pictures: list[str] = []
        try:
            with os.scandir(os.path.join(self.root, folder)) as listing:
                children = sorted(listing, key=lambda child: os.fsencode(child.name))
        except OSError:
            self.unreadable.append(folder or ".")
            return folders, pictures
        for child in children:
            path = f"{folder}/{child.name}" if folder else child.name
            if child.name.startswith(".") or child.name.lower() in JUNK:
                self.junk.append(path)
            elif _is_folder(child):
                folders.append(path)
            elif os.path.splitext(child.name)[1].lower() in SUFFIXES:
                pictures.append(path)
            else:
                self.others.append(path)
        return folders, pictures

    def _identity(self, folder: str) -> tuple[int, int] | str:
        try:
            status = os.stat(os.path.join(self.root, folder))
        except OSError:  # it cannot be listed either, and is noted then
            return folder
        return status.st_dev, status.st_ino


def _is_folder(child: os.DirEntry[str]) -> bool:
    try:
        return child.is_dir()
    except OSError:  # a link to itself, or into a folder that cannot be entered
        return False


def read_tree(root: str | Path) -> FolderTree:
    """Read a tree of pictures whose class is the folder directly below the root.

    Pictures may be at any depth below their class folder. If every visible folder at the top is
    called train, val, test, query or gallery, these are splits and the classes are the folders
    below them; query and gallery are roles within the test split. A link to a file has the class
    of the link's own path. A link to a folder is followed, unless that folder was already read
    for the class.

    Raises:
        CatalogError: The root is not a folder.
    """
    root = str(root)
    if not os.path.isdir(root):
        reason = "not a folder" if os.path.exists(root) else "no such folder"
        raise CatalogError(f"{root}: {reason}; pass a folder that holds one folder per class")
    return FolderTree(root)
